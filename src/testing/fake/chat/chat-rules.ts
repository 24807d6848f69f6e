/** How strict the server is. Everything absent is as OpenAI is. */
export interface ChatRules {
  /** Ids are exactly 9 alphanumerics and unique in the request; roles alternate. Mistral and strict templates. */
  readonly mistral?: boolean
  /** The assistant's messages must carry `reasoning_content`, and the user's are texts. DeepSeek with thinking and tools. */
  readonly deepseek?: boolean
  /** Ids of calls are unique within their turn (default), or in the whole request. */
  readonly uniqueIds?: 'turn' | 'request'
  /** Characters of the id of a call. Default 40. */
  readonly maxIdLength?: number
  /** Schemas are held to strict mode where they say `strict: true` (default), or all of them. */
  readonly strictSchemas?: 'declared' | 'always'
  /** Fields that this server knows besides OpenAI's. */
  readonly extraFields?: readonly string[]
  /** The same, of a message. */
  readonly extraMessageFields?: readonly string[]
}
