export interface RecordedOptions {
  /**
   * - `replay`: answers come from the file; a request that is not in it is an error.
   * - `record`: the model is asked, and its answers go into the file, errors too, in the place of those to the same requests.
   * - `auto` (default): what is in the file is replayed, the rest is asked and recorded. Errors are, when the same request would meet them again
   *   (`ModelBadRequest`, `ModelContextOverflow`, `ModelContentBlocked`); a rate limit or a key that is not set is asked about the next time. Where the
   *   environment says `CI`, as `replay`.
   */
  mode?: 'record' | 'replay' | 'auto'
  /**
   * Applied to every text of a request before it is compared and written: replace what differs from run to run (dates, temporary folders), or
   * must not be in the file. What looks like a key is masked in any case. Must always do the same to the same text.
   */
  normalize?: (text: string) => string
}
