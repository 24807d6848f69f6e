export { type OpenAIChatOptions, type OpenAICompatibleOptions, openaiChat, openaiCompatible } from '../openai-chat/index.ts'
export { type OpenAIOptions, openai } from '../openai-responses/index.ts'
