/** The text that was read from some place on, kept for the case that it turns out to be something else. */
export class KeptText {
  #text = ''
  #from = -1

  /** From `at` of the piece that is read now; `before` stood before it. */
  begin(at: number, before = ''): void {
    this.#text = before
    this.#from = at
  }

  /** The piece has been read. */
  endPiece(piece: string): void {
    if (this.#from < 0) return
    this.#text += piece.slice(this.#from)
    this.#from = 0
  }

  /** All of it up to `at` of the piece that is read now; nothing is kept any more. */
  take(piece: string, at: number): string {
    const text = this.#from < 0 ? '' : this.#text + piece.slice(this.#from, at)
    this.drop()
    return text
  }

  drop(): void {
    this.#text = ''
    this.#from = -1
  }
}
