export { type OpenAIChatOptions, type OpenAICompatibleOptions, openaiChat, openaiCompatible } from '../openai-chat/index.ts'
