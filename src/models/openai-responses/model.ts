import { RondoError } from '../../core/error.ts'
import type { ModelDelta, ModelFinish, ModelRequest } from '../../core/model.ts'
import { HttpModel } from '../http/model.ts'
import type { ResponsesApi } from './api.ts'
import type { OpenAIOptions } from './options.ts'

/** Goes on from the last response; when the server has lost that, it is sent the whole history at once (the code is OpenAI's). */
export class ContinuingModel extends HttpModel {
  readonly #api: ResponsesApi

  constructor(id: string, api: ResponsesApi, options: OpenAIOptions) {
    super(id, api, options)
    this.#api = api
  }

  override async stream(
    request: ModelRequest,
    sink: (delta: ModelDelta) => void,
    options: { readonly signal: AbortSignal; readonly sessionId: string },
  ): Promise<ModelFinish> {
    try {
      return await super.stream(request, sink, options)
    } catch (error) {
      if (!isLost(error) || !this.#api.goesBack(options.sessionId)) throw error
      return super.stream(request, sink, options)
    }
  }
}

/** `Previous response with id 'resp_1' not found.`, code `previous_response_not_found`. */
function isLost(error: unknown): boolean {
  return RondoError.is(error) && error.code === 'ModelBadRequest' && /previous[ _]response/i.test(error.message)
}
