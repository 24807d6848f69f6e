/** How strict the server is. Everything absent is as Anthropic is to a model that takes it all. */
export interface MessagesRules {
  /** Whether the conversation may end with an answer, to be gone on with. Default true; false from Claude 4.6 on. */
  readonly prefill?: boolean
  /** Whether signatures must be those that this server gives (default), or may be any but blank ones. */
  readonly signatures?: 'own' | 'any'
  /** Fields that this server knows besides. */
  readonly extraFields?: readonly string[]
}
