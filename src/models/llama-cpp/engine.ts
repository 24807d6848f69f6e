import type { LlamaCppOptions } from './options.ts'
import { checkFile, loadFailure, loadPeer, type Peer } from './peer.ts'
import { Queue } from './queue.ts'

/** A chat on one sequence of the context: what it has evaluated stays in it. */
export type Chat = InstanceType<typeof Peer.LlamaChat>

/** A model that is in memory. */
export class Engine {
  readonly peer: typeof Peer
  readonly model: Peer.LlamaModel
  readonly chats: Queue<Chat>
  /** Tokens, as the context was made: a little more than was asked for. */
  readonly contextSize: number
  readonly #llama: Peer.Llama
  readonly #grammars = new Map<string, Promise<Peer.LlamaGrammar>>()

  private constructor(peer: typeof Peer, llama: Peer.Llama, model: Peer.LlamaModel, context: Peer.LlamaContext, sequences: number) {
    this.peer = peer
    this.model = model
    this.#llama = llama
    this.contextSize = context.contextSize
    const chats = Array.from({ length: sequences }, () => new peer.LlamaChat({ contextSequence: context.getSequence() }))
    this.chats = new Queue(chats)
  }

  /** Rejects with `ConfigInvalid`, and leaves nothing in memory. */
  static async load({ modelPath, contextSize, sequences = 1, threads, gpu = 'auto', gpuLayers }: LlamaCppOptions): Promise<Engine> {
    const peer = await loadPeer()
    await checkFile(modelPath)
    let llama: Peer.Llama | undefined
    try {
      llama = await peer.getLlama({ gpu, build: 'never', skipDownload: true, logLevel: peer.LlamaLogLevel.disabled })
      const model = await llama.loadModel({ modelPath, ...(gpuLayers === undefined ? {} : { gpuLayers }) })
      const context = await model.createContext({
        sequences,
        contextSize: contextSize ?? 'auto',
        ...(threads === undefined ? {} : { threads }),
      })
      return new Engine(peer, llama, model, context, sequences)
    } catch (cause) {
      await llama?.dispose()
      throw loadFailure(modelPath, cause)
    }
  }

  /** Of one text there is one grammar: making it takes longer than a token. */
  grammar(text: string): Promise<Peer.LlamaGrammar> {
    const known = this.#grammars.get(text)
    if (known !== undefined) {
      this.#grammars.delete(text)
      this.#grammars.set(text, known)
      return known
    }
    const made = this.#llama.createGrammar({ grammar: text })
    made.catch(() => this.#grammars.delete(text))
    this.#grammars.set(text, made)
    const [oldest] = this.#grammars.keys()
    if (this.#grammars.size > maxGrammars && oldest !== undefined) this.#grammars.delete(oldest)
    return made
  }

  dispose(): Promise<void> {
    return this.#llama.dispose()
  }
}

/** Grammars that are kept. */
const maxGrammars = 100
