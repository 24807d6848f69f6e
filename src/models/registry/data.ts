// Made by scripts/model-data.mjs: change that, not this.
import type { DataSource } from './entry.ts'

export const dataSource: DataSource = {
  package: '@earendil-works/pi-ai',
  version: '1.6.0',
  licence: 'MIT',
  date: '2026-11-20',
}

/**
 * A line is a provider and the host of its API, or a model: id, context window, output limit, what it can (r reasons, i takes images), then USD for a million
 * tokens of input, output, cached input, cache write; behind `>N` the same four for a request with more than N input tokens. `-` is unknown.
 */
export const table: string = `
@ openai api.openai.com
chat-latest 400000 128000 ri 5 30 0.5 -
gpt-4 8192 8192 - 30 60 - -
gpt-4-turbo 128000 - i 10 30 - -
gpt-4.1 1047576 32768 i 2 8 0.5 -
gpt-4.1-mini 1047576 32768 i 0.4 1.6 0.1 -
gpt-4.1-nano 1047576 32768 i 0.1 0.4 0.025 -
gpt-4o 128000 16384 i 2.5 10 1.25 -
gpt-4o-2024-05-13 128000 - i 5 15 - -
gpt-4o-mini 128000 16384 i 0.15 0.6 0.075 -
gpt-5 400000 128000 ri 1.25 10 0.125 -
gpt-5-chat-latest 128000 16384 i 1.25 10 0.125 -
gpt-5-mini 400000 128000 ri 0.25 2 0.025 -
gpt-5-nano 400000 128000 ri 0.05 0.4 0.005 -
gpt-5-pro 400000 128000 ri 15 120 - -
gpt-5.1 400000 128000 ri 1.25 10 0.125 -
gpt-5.2 400000 128000 ri 1.75 14 0.175 -
gpt-5.2-pro 400000 128000 ri 21 168 - -
gpt-5.3-codex 400000 128000 ri 1.75 14 0.175 -
gpt-5.3-codex-spark 128000 32000 ri 1.75 14 0.175 -
gpt-5.4 1050000 128000 ri 2.5 15 0.25 - >272000 5 22.5 0.5 -
gpt-5.4-mini 400000 128000 ri 0.75 4.5 0.075 -
gpt-5.4-nano 400000 128000 ri 0.2 1.25 0.02 -
gpt-5.4-pro 1050000 128000 ri 30 180 - - >272000 60 270 - -
gpt-5.5 1050000 128000 ri 5 30 0.5 - >272000 10 45 1 -
gpt-5.5-pro 1050000 128000 ri 30 180 - - >272000 60 270 - -
gpt-5.6-cyber 400000 128000 ri 12.5 75 1.25 15.625
gpt-5.6-luna 1050000 128000 ri 0.2 1.2 0.02 0.25 >272000 0.4 1.8 0.04 0.5
gpt-5.6-sol 1050000 128000 ri 4 20 0.4 5 >272000 8 30 0.8 10
gpt-5.6-terra 1050000 128000 ri 2 12 0.2 2.5 >272000 4 18 0.4 5
gpt-6-astra 1050000 128000 ri 10 50 1 12.5 >272000 20 75 2 25
gpt-6-cyber 1050000 128000 ri 20 100 2 25
gpt-6-luna 1050000 128000 ri 0.1 0.5 0.01 0.125 >272000 0.2 0.75 0.02 0.25
gpt-6-sol 1050000 128000 ri 2 10 0.2 2.5 >272000 4 15 0.4 5
gpt-6.1-sol 1050000 128000 ri 2 10 0.1 2.5 >272000 4 15 0.2 5
gpt-6.1-terra 1050000 128000 ri 1 5 0.05 1.25 >272000 2 7.5 0.1 2.5
gpt-6.2-astra 1050000 128000 ri 8 40 0.4 10 >272000 16 60 0.8 20
gpt-6.2-sol 1050000 128000 ri 2 10 0.1 2.5 >272000 4 15 0.2 5
gpt-daybreak-blue-latest 1050000 128000 ri 4 20 0.4 5 >272000 8 30 0.8 10
gpt-daybreak-red-latest 400000 128000 ri 12.5 75 1.25 15.625
o1 200000 100000 ri 15 60 7.5 -
o1-pro 200000 100000 ri 150 600 - -
o3 200000 100000 ri 2 8 0.5 -
o3-mini 200000 100000 r 1.1 4.4 0.55 -
o3-pro 200000 100000 ri 20 80 - -
o4-mini 200000 100000 ri 1.1 4.4 0.275 -
@ anthropic api.anthropic.com
claude-fable-5 1000000 128000 ri 10 50 1 12.5
claude-fable-5-1 1000000 128000 ri 10 50 0.25 12.5
claude-fable-5-2 1000000 128000 ri 8 40 0.2 10
claude-haiku-4-5 200000 64000 ri 1 5 0.1 1.25
claude-haiku-5-5 1000000 128000 ri 0.1 0.5 0.01 0.125 >100000 0.5 2.5 0.05 0.625
claude-opus-4-5 200000 64000 ri 5 25 0.5 6.25
claude-opus-4-6 1000000 128000 ri 5 25 0.5 6.25
claude-opus-4-7 1000000 128000 ri 5 25 0.5 6.25
claude-opus-4-8 1000000 128000 ri 5 25 0.5 6.25
claude-opus-5 1000000 128000 ri 5 25 0.5 6.25
claude-opus-5-5 1000000 128000 ri 4 20 0.2 5
claude-sonnet-4-5 200000 64000 ri 3 15 0.3 3.75
claude-sonnet-4-6 1000000 128000 ri 3 15 0.3 3.75
claude-sonnet-5 1000000 128000 ri 2 10 0.2 2.5
claude-sonnet-5-5 1000000 128000 ri 2 10 0.1 2.5
@ google generativelanguage.googleapis.com
deep-research-max-preview-04-2026 1048576 65536 ri 2 12 0.2 - >200000 4 18 0.4 -
deep-research-preview-04-2026 1048576 65536 ri 2 12 0.2 - >200000 4 18 0.4 -
gemini-2.5-computer-use-preview-10-2025 128000 64000 ri 1.25 10 - -
gemini-2.5-flash 1048576 65536 ri 0.3 2.5 0.03 -
gemini-2.5-flash-lite 1048576 65536 ri 0.1 0.4 0.01 -
gemini-2.5-pro 1048576 65536 ri 1.25 10 0.125 - >200000 2.5 15 0.25 -
gemini-3-flash-preview 1048576 65536 ri 0.5 3 0.05 -
gemini-3.1-flash-lite 1048576 65536 ri 0.25 1.5 0.025 -
gemini-3.1-flash-lite-preview 1048576 65536 ri 0.25 1.5 0.025 -
gemini-3.1-pro-preview 1048576 65536 ri 2 12 0.2 - >200000 4 18 0.4 -
gemini-3.1-pro-preview-customtools 1048576 65536 ri 2 12 0.2 - >200000 4 18 0.4 -
gemini-3.5-flash 1048576 65536 ri 1.5 9 0.15 -
gemini-3.5-flash-lite 1048576 65536 ri 0.3 2.5 0.03 -
gemini-3.6-flash 1048576 65536 ri 0.75 3.75 0.075 -
gemini-3.7-flash 1048576 65536 ri 0.75 3.75 0.075 -
gemini-3.8-flash 1048576 65536 ri 0.75 3.75 0.075 -
gemini-4-argon 1048576 32768 ri 2 10 0.1 -
gemini-4-carbon 1048576 32768 ri 2 10 0.1 -
gemini-4-hydrogen 1048576 65536 ri 1.5 7.5 0.075 -
gemini-4-neon 1048576 65536 ri 3 15 0.15 -
gemini-flash-latest 1048576 65536 ri 1.5 9 0.15 -
gemini-flash-lite-latest 1048576 65536 ri 0.25 1.5 0.025 -
gemini-pro-latest 1048576 65536 ri 2 12 0.2 - >200000 4 18 0.4 -
gemini-robotics-er-2-preview 131072 65536 ri 1 5 0.1 -
gemma-4-26b-a4b-it 262144 32768 ri
gemma-4-31b-it 262144 32768 ri
@ mistral api.mistral.ai
codestral-2508 256000 8192 - 0.3 0.9 0.03 -
codestral-latest 256000 - - 0.3 0.9 0.03 -
deepseek-v4-1-flash-1017 1048576 128000 ri 0.3 1.2 0.007 -
devstral-2512 262144 262144 - 0.4 2 0.04 -
devstral-latest 262144 262144 - 0.4 2 0.04 -
devstral-medium-latest 262144 262144 - 0.4 2 0.04 -
glm-5-2 1048576 131072 r 1.4 4.4 0.14 -
labs-devstral-small-2512 256000 256000 i
labs-leanstral-1-5-1 262144 128000 ri
magistral-medium-latest 262144 16384 ri 2 5 0.2 -
ministral-3b-2512 131072 131072 i 0.1 0.1 0.01 -
ministral-3b-latest 131072 128000 i 0.1 0.1 0.01 -
ministral-8b-2512 262144 262144 i 0.15 0.15 0.015 -
ministral-8b-latest 262144 128000 i 0.15 0.15 0.015 -
ministral-14b-2512 262144 262144 i 0.2 0.2 0.02 -
mistral-large-4 1048576 262144 ri 0.7 2.1 0.07 -
mistral-large-4-0-8 1048576 262144 ri 0.7 2.1 0.07 -
mistral-large-2512 262144 262144 i 0.5 1.5 0.05 -
mistral-large-latest 1048576 262144 ri 0.7 2.1 0.07 -
mistral-medium-3.5 262144 262144 ri 1.5 7.5 - -
mistral-medium-2505 131072 131072 i 0.4 2 0.04 -
mistral-medium-2508 262144 262144 i 0.4 2 0.04 -
mistral-medium-2604 262144 262144 ri 1.5 7.5 0.15 -
mistral-medium-latest 262144 262144 ri 1.5 7.5 0.15 -
mistral-small-2506 128000 16384 i 0.1 0.3 0.01 -
mistral-small-2603 262144 256000 ri 0.15 0.6 0.015 -
mistral-small-latest 262144 256000 ri 0.15 0.6 0.015 -
open-mistral-nemo 128000 128000 - 0.15 0.15 0.015 -
pixtral-12b 128000 128000 i 0.15 0.15 0.015 -
voxtral-small-2507 32768 32000 - 0.1 0.4 0.01 -
voxtral-small-latest 32768 32000 - 0.1 0.4 0.01 -
zai-glm-5-2 1048576 131072 r 1.4 4.4 0.14 -
zai-glm-5-3 1048576 131072 r 1.4 4.4 0.14 -
zai-glm-5-3-flash 1048576 131072 ri 0.15 0.5 0.03 -
@ groq api.groq.com
llama-3.1-8b-instant 131072 131072 - 0.05 0.08 - -
llama-3.3-70b-versatile 131072 32768 - 0.59 0.79 - -
openai/gpt-oss-20b 131072 65536 r 0.075 0.3 0.0375 -
openai/gpt-oss-120b 131072 65536 r 0.15 0.6 0.075 -
openai/gpt-oss-safeguard-20b 131072 65536 r 0.075 0.3 0.0375 -
qwen/qwen3.6-27b 131072 16384 ri 0.6 3 0.3 -
qwen/qwen3.8-27b 131072 16384 ri 0.8 4 - -
@ xai api.x.ai
grok-4.3 1000000 30000 ri 1.25 2.5 0.2 - >200000 2.5 5 0.4 -
grok-4.5 500000 500000 ri 2 6 0.3 - >200000 4 12 0.6 -
grok-4.6 500000 500000 ri 2 6 0.5 - >200000 4 12 1 -
grok-4.7 500000 500000 ri 2 6 0.5 - >200000 4 12 1 -
@ deepseek api.deepseek.com
deepseek-flash 1000000 384000 ri 0.3 1.2 0.006 -
deepseek-v4-pro 1000000 384000 r 1.32 3.96 0.044 -
@ moonshotai api.moonshot.ai
kimi-k2.6 262144 262144 ri 0.95 4 0.16 -
kimi-k2.7-code 262144 262144 ri 0.95 4 0.19 -
kimi-k2.7-code-highspeed 262144 262144 ri 1.9 8 0.38 -
kimi-k3 1048576 1048576 ri 3 15 0.3 -
kimi-k3.1-pro 1048576 1048576 ri 2 10 0.2 -
kimi-k3.1-pro-highspeed 1048576 1048576 ri 4 20 0.2 -
@ zai api.z.ai
glm-4.7 204800 131072 r 0.6 2.2 0.11 -
glm-5-turbo 200000 131072 r 1.2 4 0.24 -
glm-5.2 1000000 131072 r 1.4 4.4 0.26 -
glm-5.2-highspeed 1000000 131072 r
glm-5.3 1000000 131072 r 1.4 4.4 0.26 -
glm-5.3-flash 1000000 131072 ri 0.15 0.5 0.03 -
glm-5.3-highspeed 1000000 131072 r
@ minimax api.minimax.io
MiniMax-M2.7 204800 131072 r 0.3 1.2 0.06 0.375
MiniMax-M2.7-highspeed 204800 131072 r 0.6 2.4 0.06 0.375
MiniMax-M3 1000000 524288 ri 0.3 1.2 0.06 - >512000 0.6 2.4 0.12 -
MiniMax-M3.1-Flash 1000000 524288 ri 0.15 0.6 0.015 -
@ meta api.meta.ai
muse-ember-1.0 1048576 524288 ri 0.1 0.5 0.004 - >200000 0.3 1.5 0.012 -
muse-spark-1.1 1048576 131072 ri 1.25 4.25 0.15 -
muse-spark-1.2 1048576 131072 ri 1.25 4.25 0.15 -
muse-spark-1.2-contributor 1048576 131072 ri 0.1 0.2 0.002 -
muse-spark-1.3 1048576 131072 ri 1.25 4.25 0.15 -
muse-spark-1.3-contributor 1048576 131072 ri 0.1 0.2 0.002 -
muse-wonder-1.0 1048576 131072 ri 4 20 0.2 -
@ xiaomi api.xiaomimimo.com
mimo-v2.6-flash 1048576 131072 ri 0.14 0.28 0.0028 -
mimo-v2.6-pro 1048576 131072 ri 0.435 0.87 0.0036 -
mimo-v2.6-pro-ultraspeed 1048576 131072 ri 4.35 8.7 0.036 -
@ cerebras api.cerebras.ai
gpt-oss-120b 131072 40960 r 0.35 0.75 0.35 -
qwen-3.8-27b 131072 40960 ri 0.99 1.49 0.99 -
@ together api.together.ai
deepseek-ai/DeepSeek-V4-Pro-0813 1048576 384000 r 1.32 3.96 0.13 -
deepseek-ai/DeepSeek-V4.1-Flash 1048576 384000 ri 0.3 1.2 0.006 -
meta-models/Muse-Spark-Open-816B-A42B 1048576 131072 ri 1.25 4.25 0.15 -
MiniMaxAI/MiniMax-M3 524288 524288 ri 0.3 1.2 0.06 -
moonshotai/Kimi-K3 1048576 1048576 ri 3 15 0.3 -
moonshotai/Kimi-K3.1-Pro 1048576 1048576 ri 2 10 0.2 -
nvidia/NVIDIA-Nemotron-3.5-Super-VL 262144 262144 ri 0.15 0.5 0.02 -
openai/gpt-oss-120b 131072 131072 r 0.15 0.6 - -
Qwen/Qwen3.5-9B 262144 65536 ri 0.17 0.25 - -
Qwen/Qwen3.6-Plus 1000000 65536 r 0.5 3 - -
Qwen/Qwen3.7-Max 1000000 131072 r 2.5 7.5 0.5 -
reflection/Beam-1.0-501B-A23B 1048576 131072 r 0.4 1.2 0.04 -
thinkingmachines/Inkling 524288 131072 ri 1 4.05 0.17 -
zai-org/GLM-5.2 1048575 164000 r 1.4 4.4 0.26 -
zai-org/GLM-5.3 1048575 262144 r 1.4 4.4 0.26 -
zai-org/GLM-5.3-Flash 1048575 400000 ri 0.15 0.5 0.03 -
@ fireworks api.fireworks.ai
accounts/fireworks/models/deepseek-v4p1-flash 1000000 384000 ri 0.3 1.2 0.006 -
accounts/fireworks/models/deepseek-v4p1-flash-1017 1000000 384000 ri 0.3 1.2 0.006 -
accounts/fireworks/models/ember-1 1048576 131072 ri 3 15 0.3 -
accounts/fireworks/models/glm-5p3 1048573 262144 r 1.4 4.4 0.26 -
accounts/fireworks/models/glm-5p3-flash 1048573 131072 ri 0.15 0.5 0.03 -
accounts/fireworks/models/kimi-k3 1048576 1048576 ri 3 15 0.3 -
accounts/fireworks/models/kimi-k3p1-pro 1048576 1048576 ri 2 10 0.2 -
accounts/fireworks/models/minimax-m3 512000 512000 r 0.3 1.2 0.06 -
accounts/fireworks/models/minimax-m3p1-flash 1000000 512000 ri 0.15 0.6 0.015 -
accounts/fireworks/models/muse-spark-open 1048576 131072 ri 1.25 4.25 0.15 -
accounts/fireworks/models/qwen3p8-2p4t-a95b 262144 131072 r 2 6 0.25 -
accounts/fireworks/models/qwen3p8-max 262144 131072 ri 2 6 0.25 -
accounts/fireworks/routers/deepseek-flash-latest 1000000 384000 ri 0.3 1.2 0.006 -
accounts/fireworks/routers/deepseek-v4p1-flash-1017-spot 1000000 384000 ri 0.15 0.6 0.003 -
accounts/fireworks/routers/deepseek-v4p1-flash-1017-ultrafast 1000000 384000 ri 1.2 4.8 0.024 -
accounts/fireworks/routers/deepseek-v4p1-flash-spot 1000000 384000 ri 0.15 0.6 0.003 -
accounts/fireworks/routers/glm-5p3-fast 1048572 262144 r 2.1 6.6 0.39 -
accounts/fireworks/routers/glm-5p3-spot 1048573 262144 r 0.7 2.2 0.13 -
accounts/fireworks/routers/glm-fast-latest 1048572 262144 r 2.1 6.6 0.39 -
accounts/fireworks/routers/glm-flash-latest 1048573 131072 ri 0.15 0.5 0.03 -
accounts/fireworks/routers/glm-latest 1048573 262144 r 1.4 4.4 0.26 -
accounts/fireworks/routers/kimi-fast-latest 1048576 1048576 ri 4.5 22.5 0.45 -
accounts/fireworks/routers/kimi-k3-fast 1048576 1048576 ri 4.5 22.5 0.45 -
accounts/fireworks/routers/kimi-k3-spot 1048576 1048576 ri 2.1 10.5 0.21 -
accounts/fireworks/routers/kimi-latest 1048576 1048576 ri 2 10 0.2 -
accounts/fireworks/routers/minimax-latest 512000 512000 r 0.3 1.2 0.06 -
accounts/fireworks/routers/qwen-max-latest 262144 131072 ri 2 6 0.25 -
@ baseten inference.baseten.co
deepseek-ai/DeepSeek-V4-Flash-0731 1048576 384000 r 0.13 0.26 0.028 -
deepseek-ai/DeepSeek-V4-Pro-0813 1048576 262144 r 1.32 3.96 0.132 -
deepseek-ai/DeepSeek-V4.1-Flash 1048576 32768 ri 0.3 1.2 0.007 -
deepseek-ai/DeepSeek-V4.1-Flash-1017 1048576 262144 ri 0.3 1.2 0.007 -
deepseek-ai/DeepSeek-V4.1-Flash-1017-Fast 1048576 262144 ri 0.6 2.4 0.014 -
deepseek-ai/DeepSeek-V4.1-Flash-Fast 1048576 32768 ri 0.6 2.4 0.014 -
moonshotai/Kimi-K3 1048576 262144 ri 3 15 0.3 -
moonshotai/Kimi-K3.1-Pro 1048576 262144 ri 2 10 0.2 -
nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B 202800 202800 r 0.6 2.4 0.12 -
openai/gpt-oss-120b 128072 128072 r 0.1 0.5 0.1 -
zai-org/GLM-5.2 1048576 262144 r 1.4 4.4 0.14 -
zai-org/GLM-5.2-Fast 1048576 262144 r 2.1 6.6 0.21 -
zai-org/GLM-5.3 1048576 262144 ri 1.4 4.4 0.14 -
zai-org/GLM-5.3-Fast 1048576 262144 ri 2.1 6.6 0.21 -
zai-org/GLM-5.3-Flash 1048576 131072 ri 0.15 0.5 0.03 -
@ huggingface router.huggingface.co
deepseek-ai/DeepSeek-R1 64000 32768 r 0.7 2.5 - -
deepseek-ai/DeepSeek-R1-0528 163840 32768 r 3 5 - -
deepseek-ai/DeepSeek-V3 64000 8192 - 0.4 1.3 - -
deepseek-ai/DeepSeek-V3-0324 163840 163840 - 0.27 1.12 - -
deepseek-ai/DeepSeek-V3.1 131072 8192 r 0.27 1 - -
deepseek-ai/DeepSeek-V3.2 163840 65536 r 0.28 0.4 - -
deepseek-ai/DeepSeek-V4-Flash 1048576 384000 r 0.14 0.28 - -
deepseek-ai/DeepSeek-V4-Flash-0731 1048576 384000 r 0.14 0.28 - -
deepseek-ai/DeepSeek-V4-Flash-Vision-Exp 1048576 384000 ri 0.44 1.32 - -
deepseek-ai/DeepSeek-V4-Pro 1048576 393216 r 0.435 0.87 0.003625 -
deepseek-ai/DeepSeek-V4-Pro-0813 1000000 384000 r 1.32 3.96 - -
deepseek-ai/DeepSeek-V4.1-Flash 1048576 384000 ri 0.3 1.2 - -
deepseek-ai/DeepSeek-V4.1-Flash-1017 1048576 384000 ri 0.3 1.2 - -
google/gemma-3-4b-it 131072 131072 i 0.05 0.1 - -
google/gemma-3-12b-it 131072 131072 i 0.05 0.15 - -
google/gemma-3-27b-it 131072 131072 i 0.08 0.16 - -
google/gemma-4-26B-A4B-it 262144 32768 ri 0.13 0.4 - -
google/gemma-4-31B-it 262144 32768 ri 0.14 0.4 - -
meta-llama/Llama-3.1-8B-Instruct 131072 - - 0.06 0.06 - -
meta-llama/Llama-3.1-70B-Instruct 131072 - - 0.72 0.72 - -
meta-llama/Llama-3.2-1B-Instruct 60000 32000 - 0.027 0.201 - -
meta-llama/Llama-3.2-3B-Instruct 80000 80000 - 0.0509 0.335 - -
meta-llama/Llama-3.3-70B-Instruct 131072 - - 0.59 0.79 - -
MiniMaxAI/MiniMax-M1-80k 1000000 80000 r 0.55 2.2 - -
MiniMaxAI/MiniMax-M2 204800 131072 r 0.3 1.2 - -
MiniMaxAI/MiniMax-M2.1 204800 131072 r 0.3 1.2 - -
MiniMaxAI/MiniMax-M2.5 204800 131072 r 0.3 1.2 0.03 -
MiniMaxAI/MiniMax-M2.7 204800 131072 r 0.3 1.2 0.06 -
MiniMaxAI/MiniMax-M3 524288 512000 ri 0.3 1.2 - -
MiniMaxAI/MiniMax-M3.1-Flash 1000000 512000 ri 0.15 0.6 - -
moonshotai/Kimi-K2-Instruct 131072 16384 - 1 3 - -
moonshotai/Kimi-K2-Instruct-0905 262144 16384 - 1 3 - -
moonshotai/Kimi-K2-Thinking 262144 262144 r 0.6 2.5 0.15 -
moonshotai/Kimi-K2.5 262144 262144 ri 0.6 3 0.1 -
moonshotai/Kimi-K2.6 262144 262144 ri 0.95 4 0.16 -
moonshotai/Kimi-K2.7-Code 262144 262144 ri 0.95 4 - -
moonshotai/Kimi-K3 1000000 1000000 ri 3 15 - -
moonshotai/Kimi-K3.1-Pro 1048576 1048576 ri 2 10 - -
openai/gpt-oss-20b 131072 131072 r 0.1 0.5 - -
openai/gpt-oss-120b 131072 131072 r 0.25 0.69 - -
Qwen/Qwen2.5-Coder-32B-Instruct 131072 8192 - 0.06 0.2 - -
Qwen/Qwen3-8B 40960 32768 r 0.07 0.18 - -
Qwen/Qwen3-30B-A3B 40960 16384 r 0.12 0.5 - -
Qwen/Qwen3-30B-A3B-Instruct-2507 262144 16384 - 0.09 0.3 - -
Qwen/Qwen3-32B 131072 16384 r 0.29 0.59 - -
Qwen/Qwen3-235B-A22B 40960 16384 r 0.2 0.8 - -
Qwen/Qwen3-235B-A22B-Instruct-2507 262144 16384 - 0.855 2.565 - -
Qwen/Qwen3-235B-A22B-Thinking-2507 262144 81920 r 0.3 3 - -
Qwen/Qwen3-Coder-30B-A3B-Instruct 262144 65536 - 0.07 0.26 - -
Qwen/Qwen3-Coder-480B-A35B-Instruct 262144 65536 - 2 2 - -
Qwen/Qwen3-Coder-Next 262144 65536 - 0.2 1.5 - -
Qwen/Qwen3-Next-80B-A3B-Instruct 262144 32768 - 0.25 1 - -
Qwen/Qwen3-VL-30B-A3B-Instruct 131072 32768 i 0.2 0.7 - -
Qwen/Qwen3-VL-235B-A22B-Instruct 131072 32768 i 0.3 1.5 - -
Qwen/Qwen3-VL-235B-A22B-Thinking 131072 32768 ri 0.98 3.95 - -
Qwen/Qwen3.5-9B 262144 65536 ri 0.17 0.25 - -
Qwen/Qwen3.5-27B 262144 65536 ri 0.3 2.4 - -
Qwen/Qwen3.5-35B-A3B 262144 65536 ri 0.25 2 - -
Qwen/Qwen3.5-122B-A10B 262144 65536 ri 0.4 3.2 - -
Qwen/Qwen3.5-397B-A17B 262144 32768 ri 0.6 3.6 - -
Qwen/Qwen3.6-27B 262144 65536 ri 0.47 3.19 - -
Qwen/Qwen3.6-35B-A3B 262144 65536 ri 0.15 0.95 - -
Qwen/Qwen3.8-2.4T-A95B 262144 131072 r 2.5 6.25 - -
Qwen/Qwen3.8-27B 262144 32768 ri 0.4 3 - -
stepfun-ai/Step-3.5-Flash 262144 256000 r 0.1 0.3 - -
stepfun-ai/Step-3.7-Flash 262144 256000 ri 0.2 1.15 - -
tencent/Hy3 262144 128000 r 0.14 0.58 - -
tencent/Hy4-flash 1048576 65536 ri 0.035 0.1405 - -
tencent/Hy4-preview 1000000 64000 r 0.834 2.501 - -
thinkingmachines/Inkling 1048576 1048576 ri 1 4.05 - -
thinkingmachines/Inkling-2-Small 1048576 131072 ri 0.3 1 - -
thinkingmachines/Inkling-Small 524288 524288 ri 0.5 1.2 - -
XiaomiMiMo/MiMo-V2.5 262144 131072 r 0.4 2 - -
XiaomiMiMo/MiMo-V2.5-Pro 1048576 131072 r 1 3 - -
zai-org/GLM-4.5 131072 98304 r 0.6 2.2 - -
zai-org/GLM-4.5-Air 131072 98304 r 0.13 0.85 - -
zai-org/GLM-4.5V 65536 16384 ri 0.6 1.8 - -
zai-org/GLM-4.6 204800 131072 r 0.55 2.2 - -
zai-org/GLM-4.6V 131072 32768 ri 0.3 0.9 - -
zai-org/GLM-4.6V-Flash 131072 32768 ri 0.3 0.9 - -
zai-org/GLM-4.7 204800 131072 r 0.6 2.2 0.11 -
zai-org/GLM-4.7-Flash 200000 128000 r
zai-org/GLM-5 202752 131072 r 1 3.2 0.2 -
zai-org/GLM-5.1 202752 131072 r 1 3.2 0.2 -
zai-org/GLM-5.2 262144 131072 r 1.4 4.4 - -
zai-org/GLM-5.3 1048576 131072 r 1.4 4.4 - -
zai-org/GLM-5.3-Flash 1048576 131072 ri 0.15 0.5 - -
@ openrouter openrouter.ai
~anthropic/claude-fable-latest 1000000 128000 ri 8 40 0.2 10
~anthropic/claude-haiku-latest 1000000 128000 ri 0.1 0.5 0.01 0.125 >100000 0.5 2.5 0.05 0.625
~anthropic/claude-opus-latest 1000000 128000 ri 4 20 0.2 5
~anthropic/claude-sonnet-latest 1000000 128000 ri 2 10 0.1 2.5
~deepseek/deepseek-flash-latest 1048576 943718 ri 0.036 0.5 0.01 -
~deepseek/deepseek-pro-latest 1048576 393216 r 0.2565 8 0.26 -
~deepseek/deepseek-v4-flash-latest 1048576 943718 r 0.047 0.3 0.035 -
~google/gemini-flash-latest 1048576 943718 ri 1.5 7.5 0.075 0.083333
~google/gemini-pro-latest 1048576 943718 ri 2 10 0.1 0.1875
~moonshotai/kimi-latest 1048576 131072 ri 0.1805 11.0055 0.18 -
~openai/gpt-astra-latest 1050000 128000 ri 8 40 0.4 10 >272000 16 60 0.8 20
~openai/gpt-luna-latest 1050000 128000 ri 0.1 0.5 0.01 0.125 >272000 0.2 0.75 0.02 0.25
~openai/gpt-mini-latest 400000 128000 ri 0.75 4.5 0.075 -
~openai/gpt-sol-latest 1050000 128000 ri 2 10 0.1 2.5 >272000 4 15 0.2 5
~openai/gpt-terra-latest 1050000 128000 ri 1 5 0.05 1.25 >272000 2 7.5 0.1 2.5
~unbiased/pareto-latest 1048576 131072 i 0.8 3.2 0.03 -
~x-ai/grok-latest 500000 450000 ri 2 6 0.5 - >200000 4 12 1 -
~z-ai/glm-flash-latest 1048576 131072 ri 0.0399 0.0784 0.03 -
~z-ai/glm-latest 1048576 943718 r 0.0699 1.4 0.0689 -
aion-labs/aion-2.0 131072 32768 r 0.8 1.6 0.2 -
aion-labs/aion-3.0 131072 32768 r 3 6 0.75 -
aion-labs/aion-3.0-mini 131072 32768 r 0.7 1.4 0.18 -
aion-labs/aion-3.5 262144 32768 r 3 6 0.75 -
aion-labs/aion-3.5-mini 262144 32768 r 0.7 1.4 0.18 -
amazon/nova-2-lite-v1 1000000 65535 ri 0.3 2.5 - -
amazon/nova-lite-v1 300000 5120 i 0.06 0.24 - -
amazon/nova-micro-v1 128000 5120 - 0.035 0.14 - -
amazon/nova-premier-v1 1000000 32000 i 2.5 12.5 0.625 -
amazon/nova-pro-v1 300000 5120 i 0.8 3.2 - -
anthropic/claude-fable-5 1000000 128000 ri 10 50 1 12.5
anthropic/claude-fable-5:batch 1000000 128000 ri 5 25 0.5 6.25
anthropic/claude-fable-5.1 1000000 128000 ri 10 50 0.25 12.5
anthropic/claude-fable-5.1:batch 1000000 128000 ri 5 25 0.125 6.25
anthropic/claude-fable-5.2 1000000 128000 ri 8 40 0.2 10
anthropic/claude-fable-5.2:batch 1000000 128000 ri 4 20 0.1 5
anthropic/claude-haiku-4.5 200000 64000 ri 1 5 0.1 1.25
anthropic/claude-haiku-4.5:batch 200000 64000 ri 0.5 2.5 0.05 0.625
anthropic/claude-haiku-5.5 1000000 128000 ri 0.1 0.5 0.01 0.125 >100000 0.5 2.5 0.05 0.625
anthropic/claude-haiku-5.5:batch 1000000 128000 ri 0.05 0.25 0.005 0.0625 >100000 0.25 1.25 0.025 0.3125
anthropic/claude-opus-4.1 200000 32000 ri 15 75 1.5 18.75
anthropic/claude-opus-4.1:batch 200000 32000 ri 7.5 37.5 0.75 9.375
anthropic/claude-opus-4.5 200000 64000 ri 5 25 0.5 6.25
anthropic/claude-opus-4.5:batch 200000 64000 ri 2.5 12.5 0.25 3.125
anthropic/claude-opus-4.6 1000000 128000 ri 5 25 0.5 6.25
anthropic/claude-opus-4.6:batch 1000000 128000 ri 2.5 12.5 0.25 3.125
anthropic/claude-opus-4.7 1000000 128000 ri 5 25 0.5 6.25
anthropic/claude-opus-4.7:batch 1000000 128000 ri 2.5 12.5 0.25 3.125
anthropic/claude-opus-4.8 1000000 128000 ri 5 25 0.5 6.25
anthropic/claude-opus-4.8:batch 1000000 128000 ri 2.5 12.5 0.25 3.125
anthropic/claude-opus-5 1000000 128000 ri 5 25 0.5 6.25
anthropic/claude-opus-5:batch 1000000 128000 ri 2.5 12.5 0.25 3.125
anthropic/claude-opus-5.5 1000000 128000 ri 4 20 0.2 5
anthropic/claude-opus-5.5:batch 1000000 128000 ri 2 10 0.1 2.5
anthropic/claude-sonnet-4.5 1000000 64000 ri 3 15 0.3 3.75 >200000 6 22.5 0.6 7.5
anthropic/claude-sonnet-4.5:batch 1000000 64000 ri 1.5 7.5 0.15 1.875 >200000 3 11.25 0.3 3.75
anthropic/claude-sonnet-4.6 1000000 128000 ri 3 15 0.3 3.75
anthropic/claude-sonnet-4.6:batch 1000000 128000 ri 1.5 7.5 0.15 1.875
anthropic/claude-sonnet-5 1000000 128000 ri 2 10 0.2 2.5
anthropic/claude-sonnet-5:batch 1000000 128000 ri 1 5 0.1 1.25
anthropic/claude-sonnet-5.5 1000000 128000 ri 2 10 0.1 2.5
anthropic/claude-sonnet-5.5:batch 1000000 128000 ri 1 5 0.05 1.25
auto 2000000 30000 ri
baidu/ernie-5.5-flash-preview:free 1024000 921600 r 0 0 0 0
baidu/ernie-light-dt-1.0-intl 1024000 131072 r 1.13 3.94 0.113 -
bytedance-seed/seed-2-1-turbo 262144 235929 ri 0.5 2.5 - -
bytedance-seed/seed-2.0-lite 262144 131072 ri 0.25 2 - - >128000 0.5 4 - -
bytedance-seed/seed-2.0-mini 262144 131072 ri 0.1 0.4 - - >128000 0.2 0.8 - -
cohere/command-a 256000 8192 - 2.5 10 - -
cohere/command-a-plus 192000 64000 ri 0.3 1.5 0.15 -
cohere/command-r-08-2024 128000 4000 - 0.15 0.6 - -
cohere/command-r-plus-08-2024 128000 4000 - 2.5 10 - -
cohere/command-r7b-12-2024 128000 4000 - 0.0375 0.15 - -
deepseek/deepseek-chat 128000 16000 - 0.2574 1.0287 - -
deepseek/deepseek-chat-v3-0324 128000 115200 - 0.29 1.14 0.11 -
deepseek/deepseek-chat-v3.1 163840 147456 r 0.25 0.95 0.13 -
deepseek/deepseek-r1-0528 128000 32000 r 0.571 2.286 - -
deepseek/deepseek-v3.1-terminus 163840 147456 r 0.27 1 - -
deepseek/deepseek-v3.2 163840 147456 r 0.26 0.38 0.13 -
deepseek/deepseek-v3.2-exp 163840 147456 r 0.27 0.41 - -
deepseek/deepseek-v4-flash 1048576 393216 r 0.09 0.18 0.018 -
deepseek/deepseek-v4-flash-0731 1048576 943718 r 0.047 0.3 0.035 -
deepseek/deepseek-v4-flash-0731:batch 1048576 384000 r 0.048 0.144 0.012 -
deepseek/deepseek-v4-flash-vision-exp 1048575 943717 ri 0.44 1.32 0.014 -
deepseek/deepseek-v4-pro 1048576 393216 r 0.9 1.5 0.2 -
deepseek/deepseek-v4-pro-0813 1048576 943718 r 1.32 3.96 0.044 -
deepseek/deepseek-v4.1-flash 1048576 943718 ri 0.3 1.2 0.006 -
deepseek/deepseek-v4.1-flash-1017 1048576 393216 ri 0.15 0.6 0.003 -
deepseek/deepseek-v4.1-flash-1017:batch 1048576 943718 ri 0.035 0.149 0.0029 -
deepseek/deepseek-v4.1-flash:batch 1048576 384000 ri 0.05 0.15 0.004 -
dots-studio/dots-3-note-preview:free 512000 460800 ri 0 0 0 0
elorian/glimpse 262144 256000 ri 0.6 3 0.06 -
fireworks/ember-1 1048576 943718 ri 3 15 0.3 -
google/gemini-2.5-flash 1048576 65535 ri 0.3 2.5 0.03 0.083333
google/gemini-2.5-flash-lite 1048576 65535 ri 0.1 0.4 0.01 0.083333
google/gemini-2.5-pro 1048576 65536 ri 1.25 10 0.125 0.375 >200000 2.5 15 0.25 0.375
google/gemini-2.5-pro-preview 1048576 65536 ri 1.25 10 0.125 0.375 >200000 2.5 15 0.25 0.375
google/gemini-3-flash-preview 1048576 65536 ri 0.5 3 0.05 0.083333
google/gemini-3-flash-preview:batch 1048576 65536 ri 0.25 1.5 - -
google/gemini-3-pro-image 65536 32768 ri 2 12 0.2 0.375
google/gemini-3.1-flash-lite 1048576 65536 ri 0.25 1.5 0.025 0.083333
google/gemini-3.1-flash-lite-preview 1048576 65536 ri 0.25 1.5 0.025 0.083333
google/gemini-3.1-flash-lite:batch 1048576 65536 ri 0.125 0.75 0.0125 -
google/gemini-3.1-pro-preview 1048576 65536 ri 2 12 0.2 0.375 >200000 4 18 0.4 0.375
google/gemini-3.1-pro-preview-customtools 1048576 65536 ri 2 12 0.2 0.375 >200000 4 18 0.4 0.375
google/gemini-3.1-pro-preview:batch 1048576 65536 ri 1 6 - - >200000 2 9 - -
google/gemini-3.5-flash 1048576 65536 ri 1.5 9 0.15 0.083333
google/gemini-3.5-flash-lite 1048576 65536 ri 0.3 2.5 0.03 0.083333
google/gemini-3.5-flash-lite:batch 1048576 65536 ri 0.15 1.25 0.015 -
google/gemini-3.5-flash:batch 1048576 65536 ri 0.75 4.5 0.075 -
google/gemini-3.6-flash 1048576 65536 ri 0.75 3.75 0.075 0.041667
google/gemini-3.6-flash:batch 1048576 65536 ri 0.375 1.875 0.0375 0.041667
google/gemini-3.7-flash 1048576 65536 ri 0.75 3.75 0.075 0.041667
google/gemini-3.7-flash:batch 1048576 65536 ri 0.375 1.875 0.0375 0.041667
google/gemini-3.8-flash 1048576 65536 ri 0.825 4.125 0.0825 0.041667
google/gemini-3.8-flash:batch 1048576 65536 ri 0.375 1.875 0.0375 0.041667
google/gemini-4-argon 1048576 943718 ri 2 10 0.1 0.1875
google/gemini-4-argon:batch 1048576 943718 ri 1 5 0.05 0.1875
google/gemini-4-carbon 1048576 943718 ri 2 10 0.1 0.1875
google/gemini-4-carbon:batch 1048576 943718 ri 1 5 0.05 0.1875
google/gemini-4-hydrogen 1048576 943718 ri 1.5 7.5 0.075 0.083333
google/gemini-4-hydrogen:batch 1048576 943718 ri 0.75 3.75 0.0375 0.083333
google/gemini-4-neon 1048576 943718 ri 3 15 0.15 0.083333
google/gemini-4-neon:batch 1048576 943718 ri 1.5 7.5 0.075 0.083333
google/gemini-nano-banana-2.1 65536 58982 ri 1.5 7.5 - -
google/gemma-3-12b-it 131072 16384 i 0.05 0.15 - -
google/gemma-3-27b-it 131072 16384 i 0.08 0.16 - -
google/gemma-4-26b-a4b-it 262144 235929 ri 0.09 0.3 0.05 -
google/gemma-4-26b-a4b-it:free 262144 32768 ri 0 0 0 0
google/gemma-4-31b-it 262144 16384 ri 0.2 0.4 - -
google/gemma-4-31b-it:free 262144 32768 ri 0 0 0 0
ibm-granite/granite-4.2-8b 131072 117964 r 0.06 0.15 0.015 -
inclusionai/ling-3.0-flash 262144 32768 r 0.021 0.063 0.0042 -
inclusionai/ling-3.0-flash-vl 131072 32768 ri 0.06 0.18 0.012 -
inclusionai/ling-3.0-tiny 262144 250000 r 0.015 0.045 0.003 -
inclusionai/ling-3.1-flash 1000000 262144 r 0.06 0.18 0.012 -
inclusionai/ling-3.2-flash:free 1048576 262144 ri 0 0 0 0
kt/midm-k-3.0-pro 261795 235615 r 0.2 0.8 0.04 -
liquid/lfm-2.5-24b-a2b 128000 8192 r 0.05 0.7 0.025 -
liquid/lfm-3-1.7b 262144 8192 r 0.08 0.2 0.02 -
liquid/lfm-3-1.7b:free 262144 8192 r 0 0 0 0
meituan/longcat-2.0 1048756 262144 r 0.3 1.2 0.006 -
meta-llama/llama-3.1-8b-instruct 131072 16384 - 0.02 0.04 - -
meta-llama/llama-3.1-70b-instruct 131072 8192 - 0.72 0.72 - -
meta-llama/llama-3.3-70b-instruct 128000 115200 - 0.71 0.71 0.71 -
meta-llama/llama-4-maverick 524288 32768 i 0.35 1 0.17 -
meta-llama/llama-4-scout 327680 16384 i 0.1 0.3 - -
meta/muse-ember 1048576 943718 ri 0.1 0.5 0.004 0.125
meta/muse-glimmer-30b 131072 117964 ri 0.35 1.5 0.04 -
meta/muse-glimmer-30b:batch 131072 16384 ri 0.24 0.96 0.032 -
meta/muse-spark-1.1 1048576 943718 ri 1.25 4.25 0.15 -
meta/muse-spark-1.2 1048576 943718 ri 1.25 4.25 0.15 -
meta/muse-spark-1.2-contributor 1048576 943718 ri 0.1 0.2 0.002 -
meta/muse-spark-1.3 1048576 943718 ri 1.25 4.25 0.15 -
meta/muse-spark-1.3-contributor 1048576 943718 ri 0.1 0.2 0.002 -
meta/muse-spark-open 1048576 943718 ri 1.25 4.25 0.15 -
meta/muse-wonder 1048576 943718 ri 4 20 0.2 -
minimax/minimax-m2.5 196608 176947 r 0.295 1.2 0.06 -
minimax/minimax-m2.7 196608 176947 r 0.21 0.84 0.042 -
minimax/minimax-m3 524288 512000 ri 0.3 1.2 0.06 -
minimax/minimax-m3:batch 524288 512000 ri 0.224 0.88 0.0448 -
minimax/minimax-m3.1-flash 1048576 524288 ri 0.15 0.6 0.015 -
mistralai/codestral-2508 256000 204800 - 0.3 0.9 0.03 -
mistralai/devstral-2512 262144 209715 - 0.4 2 0.04 -
mistralai/ministral-3b-2512 131072 104857 i 0.1 0.1 0.01 -
mistralai/ministral-8b-2512 262144 209715 i 0.15 0.15 0.015 -
mistralai/ministral-14b-2512 262144 209715 i 0.2 0.2 0.02 -
mistralai/mistral-large 128000 102400 - 2 6 0.2 -
mistralai/mistral-large-4-0 1048576 262144 ri 0.7 2.1 0.07 -
mistralai/mistral-large-2407 131072 104857 - 2 6 0.2 -
mistralai/mistral-large-2512 262144 209715 i 0.5 1.5 0.05 -
mistralai/mistral-medium-3 131072 104857 i 0.44 2.2 0.044 -
mistralai/mistral-medium-3-5 262144 209715 ri 1.5 7.5 - -
mistralai/mistral-medium-3-5:batch 262144 209715 ri 0.75 3.75 - -
mistralai/mistral-medium-3.1 131072 104857 i 0.44 2.2 0.044 -
mistralai/mistral-nemo 131072 16384 - 0.029 0.03 - -
mistralai/mistral-saba 32768 26214 - 0.2 0.6 0.02 -
mistralai/mistral-small-3.1-24b-instruct 128000 102400 i 0.351 0.555 - -
mistralai/mistral-small-3.2-24b-instruct 128000 16384 i 0.075 0.2 - -
mistralai/mistral-small-2603 262144 209715 ri 0.15 0.6 0.015 -
mistralai/mixtral-8x22b-instruct 65536 52428 - 2 6 0.2 -
mistralai/voxtral-small-24b-2507 32768 26214 - 0.1 0.3 0.01 -
moonshotai/kimi-k2 131072 98304 - 0.57 2.3 - -
moonshotai/kimi-k2-0905 262144 98304 - 0.6 2.5 - -
moonshotai/kimi-k2-thinking 262144 98304 r 0.6 2.5 0.15 -
moonshotai/kimi-k2.5 262144 - ri 0.41 2.06 0.07 -
moonshotai/kimi-k2.6 262144 235929 ri 0.65 3.41 0.15 -
moonshotai/kimi-k2.7-code 262144 235929 ri 0.6 3 0.12 -
moonshotai/kimi-k3 1048576 131072 ri 0.192 16 0.182 -
moonshotai/kimi-k3:batch 1048576 16384 ri 2.28 11.4 0.228 -
moonshotai/kimi-k3.1-pro 1048576 131072 ri 0.253 8.8 0.18 -
moonshotai/kimi-k3.1-pro:batch 1048576 131072 ri 0.372 5.583 0.1 -
motif-technologies/motif-3 262144 235929 r 0.3 1.2 0.06 -
nex-agi/nex-n2.5-pro 262144 235929 ri 0.075 0.25 0.015 -
nex-agi/nex-n2.6 262144 235929 ri 0.12 0.4 0.024 -
nvidia/nemotron-3-nano-30b-a3b 262144 235929 r 0.06 0.24 0.012 -
nvidia/nemotron-3-nano-omni-30b-a3b-reasoning:free 256000 65536 ri 0 0 0 0
nvidia/nemotron-3-super-120b-a12b 262144 16384 r 0.075 0.4 - -
nvidia/nemotron-3-ultra-550b-a55b 262144 16384 r 0.5 2.2 0.1 -
nvidia/nemotron-3-ultra-550b-a55b:free 1000000 65536 r 0 0 0 0
nvidia/nemotron-3.5-lightning 262144 235929 r 0.07 0.2 0.04 -
nvidia/nemotron-3.5-lightning:free 1000000 65536 r 0 0 0 0
nvidia/nemotron-3.5-super-vl 262144 235929 ri 0.15 0.5 0.02 -
nvidia/nemotron-3.5-super-vl:free 1000000 131072 ri 0 0 0 0
openai/gpt-3.5-turbo-16k 16385 - - 3 4 - -
openai/gpt-3.5-turbo-0613 4095 3685 - 1 2 - -
openai/gpt-4 8191 - - 30 60 - -
openai/gpt-4-turbo:batch 128000 - i 5 15 - -
openai/gpt-4.1 1047576 32768 i 2 8 0.5 -
openai/gpt-4.1-mini 1047576 32768 i 0.4 1.6 0.1 -
openai/gpt-4.1-mini:batch 1047576 32768 i 0.2 0.8 0.05 -
openai/gpt-4.1-nano 1047576 942818 i 0.1 0.4 0.03 -
openai/gpt-4.1-nano:batch 1047576 32768 i 0.05 0.2 0.0125 -
openai/gpt-4.1:batch 1047576 32768 i 1 4 0.25 -
openai/gpt-4o 128000 16384 i 2.5 10 1.25 -
openai/gpt-4o-2024-05-13 128000 - i 5 15 - -
openai/gpt-4o-mini 128000 16384 i 0.15 0.6 0.075 -
openai/gpt-4o-mini:batch 128000 16384 i 0.075 0.3 0.0375 -
openai/gpt-4o:batch 128000 16384 i 1.25 5 0.625 -
openai/gpt-5 400000 128000 ri 1.25 10 0.125 -
openai/gpt-5-mini 400000 128000 ri 0.25 2 0.025 -
openai/gpt-5-mini:batch 400000 128000 ri 0.125 1 0.0125 -
openai/gpt-5-nano 400000 128000 ri 0.05 0.4 0.005 -
openai/gpt-5-nano:batch 400000 128000 ri 0.025 0.2 0.0025 -
openai/gpt-5-pro 400000 128000 ri 15 120 - -
openai/gpt-5-pro:batch 400000 128000 ri 7.5 60 - -
openai/gpt-5:batch 400000 128000 ri 0.625 5 0.0625 -
openai/gpt-5.1 400000 128000 ri 1.25 10 0.125 -
openai/gpt-5.1-codex 400000 128000 ri 1.25 10 0.13 -
openai/gpt-5.1-codex-max 400000 128000 ri 1.25 10 0.125 -
openai/gpt-5.1-codex-mini 400000 128000 ri 0.25 2 0.03 -
openai/gpt-5.1:batch 400000 128000 ri 0.625 5 0.0625 -
openai/gpt-5.2 400000 128000 ri 1.75 14 0.175 -
openai/gpt-5.2-chat 128000 32000 i 1.75 14 0.175 -
openai/gpt-5.2-codex 400000 128000 ri 1.75 14 0.175 -
openai/gpt-5.2-pro 400000 128000 ri 21 168 - -
openai/gpt-5.2-pro:batch 400000 128000 ri 10.5 84 - -
openai/gpt-5.2:batch 400000 128000 ri 0.875 7 0.0875 -
openai/gpt-5.3-codex 400000 128000 ri 1.75 14 0.175 -
openai/gpt-5.4 1050000 128000 ri 2.5 15 0.25 - >272000 5 22.5 0.5 -
openai/gpt-5.4-mini 400000 128000 ri 0.75 4.5 0.075 -
openai/gpt-5.4-mini:batch 400000 128000 ri 0.375 2.25 0.0375 -
openai/gpt-5.4-nano 400000 128000 ri 0.2 1.25 0.02 -
openai/gpt-5.4-nano:batch 400000 128000 ri 0.1 0.625 0.01 -
openai/gpt-5.4-pro 1050000 128000 ri 30 180 - - >272000 60 270 - -
openai/gpt-5.4-pro:batch 1050000 128000 ri 15 90 - - >272000 30 135 - -
openai/gpt-5.4:batch 1050000 128000 ri 1.25 7.5 0.125 - >272000 2.5 11.25 0.25 -
openai/gpt-5.5 1050000 128000 ri 5 30 0.5 - >272000 10 45 1 -
openai/gpt-5.5-pro 1050000 128000 ri 30 180 - - >272000 60 270 - -
openai/gpt-5.5-pro:batch 1050000 128000 ri 15 90 - - >272000 30 135 - -
openai/gpt-5.5:batch 1050000 128000 ri 2.5 15 0.25 - >272000 5 22.5 0.5 -
openai/gpt-5.6-luna 1050000 128000 ri 0.2 1.2 0.02 0.25 >272000 0.4 1.8 0.04 0.5
openai/gpt-5.6-luna-pro 1050000 128000 ri 0.2 1.2 0.02 0.25 >272000 0.4 1.8 0.04 0.5
openai/gpt-5.6-luna-pro:batch 1050000 128000 ri 0.1 0.6 0.01 - >272000 0.2 0.9 0.02 -
openai/gpt-5.6-luna:batch 1050000 128000 ri 0.1 0.6 0.01 - >272000 0.2 0.9 0.02 -
openai/gpt-5.6-sol 1050000 128000 ri 4 20 0.4 5 >272000 8 30 0.8 10
openai/gpt-5.6-sol-pro 1050000 128000 ri 4 20 0.4 5 >272000 8 30 0.8 10
openai/gpt-5.6-sol-pro:batch 1050000 128000 ri 2 10 0.2 2.5 >272000 4 15 0.4 5
openai/gpt-5.6-sol:batch 1050000 128000 ri 2 10 0.2 2.5 >272000 4 15 0.4 5
openai/gpt-5.6-terra 1050000 128000 ri 2 12 0.2 2.5 >272000 4 18 0.4 5
openai/gpt-5.6-terra-pro 1050000 128000 ri 2 12 0.2 2.5 >272000 4 18 0.4 5
openai/gpt-5.6-terra-pro:batch 1050000 128000 ri 1 6 0.1 - >272000 2 9 0.2 -
openai/gpt-5.6-terra:batch 1050000 128000 ri 1 6 0.1 - >272000 2 9 0.2 -
openai/gpt-6-astra 1050000 128000 ri 10 50 1 12.5 >272000 20 75 2 25
openai/gpt-6-astra-pro 1050000 128000 ri 10 50 1 12.5 >272000 20 75 2 25
openai/gpt-6-astra-pro:batch 1050000 128000 ri 5 25 0.5 6.25 >272000 10 37.5 1 12.5
openai/gpt-6-astra:batch 1050000 128000 ri 5 25 0.5 6.25 >272000 10 37.5 1 12.5
openai/gpt-6-luna 1050000 128000 ri 0.1 0.5 0.01 0.125 >272000 0.2 0.75 0.02 0.25
openai/gpt-6-luna-pro 1050000 128000 ri 0.1 0.5 0.01 0.125 >272000 0.2 0.75 0.02 0.25
openai/gpt-6-luna-pro:batch 1050000 128000 ri 0.05 0.25 0.005 0.0625 >272000 0.1 0.375 0.01 0.125
openai/gpt-6-luna:batch 1050000 128000 ri 0.05 0.25 0.005 0.0625 >272000 0.1 0.375 0.01 0.125
openai/gpt-6-sol 1050000 128000 ri 2 10 0.2 2.5 >272000 4 15 0.4 5
openai/gpt-6-sol-pro 1050000 128000 ri 2 10 0.2 2.5 >272000 4 15 0.4 5
openai/gpt-6-sol-pro:batch 1050000 128000 ri 1 5 0.1 1.25 >272000 2 7.5 0.2 2.5
openai/gpt-6-sol:batch 1050000 128000 ri 1 5 0.1 1.25 >272000 2 7.5 0.2 2.5
openai/gpt-6.1-sol 1050000 128000 ri 2 10 0.1 2.5 >272000 4 15 0.2 5
openai/gpt-6.1-sol-pro 1050000 128000 ri 2 10 0.1 2.5 >272000 4 15 0.2 5
openai/gpt-6.1-sol-pro:batch 1050000 128000 ri 1 5 0.05 1.25 >272000 2 7.5 0.1 2.5
openai/gpt-6.1-sol:batch 1050000 128000 ri 1 5 0.05 1.25 >272000 2 7.5 0.1 2.5
openai/gpt-6.1-terra 1050000 128000 ri 1 5 0.05 1.25 >272000 2 7.5 0.1 2.5
openai/gpt-6.1-terra-pro 1050000 128000 ri 1 5 0.05 1.25 >272000 2 7.5 0.1 2.5
openai/gpt-6.1-terra-pro:batch 1050000 128000 ri 0.5 2.5 0.025 0.625 >272000 1 3.75 0.05 1.25
openai/gpt-6.1-terra:batch 1050000 128000 ri 0.5 2.5 0.025 0.625 >272000 1 3.75 0.05 1.25
openai/gpt-6.2-astra 1050000 128000 ri 8 40 0.4 10 >272000 16 60 0.8 20
openai/gpt-6.2-astra-pro 1050000 128000 ri 8 40 0.4 10 >272000 16 60 0.8 20
openai/gpt-6.2-astra-pro:batch 1050000 128000 ri 4 20 0.2 5 >272000 8 30 0.4 10
openai/gpt-6.2-astra:batch 1050000 128000 ri 4 20 0.2 5 >272000 8 30 0.4 10
openai/gpt-6.2-sol 1050000 128000 ri 2 10 0.1 2.5 >272000 4 15 0.2 5
openai/gpt-6.2-sol-pro 1050000 128000 ri 2 10 0.1 2.5 >272000 4 15 0.2 5
openai/gpt-6.2-sol-pro:batch 1050000 128000 ri 1 5 0.05 1.25 >272000 2 7.5 0.1 2.5
openai/gpt-6.2-sol:batch 1050000 128000 ri 1 5 0.05 1.25 >272000 2 7.5 0.1 2.5
openai/gpt-audio 128000 16384 - 2.5 10 - -
openai/gpt-audio-mini 128000 16384 - 0.6 2.4 - -
openai/gpt-chat-latest 400000 128000 i 5 30 0.5 -
openai/gpt-oss-20b 131072 117964 r 0.018 0.09 0.009 -
openai/gpt-oss-20b:batch 131072 117964 r 0.024 0.112 - -
openai/gpt-oss-120b 131072 117964 r 0.09 0.36 - -
openai/gpt-oss-120b:batch 131072 117964 r 0.0296 0.136 - -
openai/gpt-oss-safeguard-20b 131072 65536 r 0.075 0.3 0.0375 -
openai/o3 200000 100000 ri 2 8 0.5 -
openai/o3-mini:batch 200000 100000 r 0.55 2.2 0.275 -
openai/o3-pro 200000 100000 ri 20 80 - -
openai/o3:batch 200000 100000 ri 1 4 0.25 -
openai/o4-mini:batch 200000 100000 ri 0.55 2.2 0.1375 -
openrouter/auto 2000000 - ri
openrouter/auto-beta 2000000 128000 ri
openrouter/auto-code 2000000 128000 ri
openrouter/free 200000 - ri
openrouter/fusion 1000000 30000 r
openrouter/pareto-code 2000000 - r
particle-ai/particle-1 1048576 131072 ri 0.07 0.5 0.006 -
particle-ai/particle-1:free 1048576 131072 ri 0 0 0 0
perceptron/perceptron-mk1.5 36864 8192 ri 0.15 1.5 - -
prism-ml/ternary-bonsai-2-9b 262144 65536 ri 0.08 0.13 0.04 -
prism-ml/ternary-bonsai-2-27b 262144 32768 ri 0.075 0.5 0.0375 -
qwen/qwen-2.5-72b-instruct 32768 16384 - 0.36 0.4 - -
qwen/qwen-plus 1000000 32768 - 0.26 0.78 0.052 0.325 >256000 0.78 2.34 0.156 0.975
qwen/qwen3-14b 40960 16384 r 0.12 0.24 - -
qwen/qwen3-30b-a3b 40960 16384 r 0.12 0.5 - -
qwen/qwen3-30b-a3b-instruct-2507 262144 235929 - 0.1 0.3 0.1 -
qwen/qwen3-32b 40960 16384 r 0.08 0.28 - -
qwen/qwen3-235b-a22b-2507 131072 117964 - 0.14 0.8 0.05 -
qwen/qwen3-235b-a22b-thinking-2507 128000 16384 r 0.45 3.5 - -
qwen/qwen3-coder 262144 65536 - 0.3 1 0.1 -
qwen/qwen3-coder-30b-a3b-instruct 262144 235929 - 0.15 0.6 - -
qwen/qwen3-coder-flash 1000000 65536 - 0.195 0.975 0.039 0.24375 >32000 0.325 1.625 0.065 0.40625 >128000 0.52 2.6 0.104 0.65
qwen/qwen3-coder-next 262144 235929 - 0.12 0.8 0.07 -
qwen/qwen3-next-80b-a3b-instruct 262144 235929 - 0.1 1.1 0.07 -
qwen/qwen3-vl-8b-instruct 262144 235929 i 0.25 0.75 0.12 -
qwen/qwen3-vl-30b-a3b-instruct 262144 16384 i 0.15 0.6 - -
qwen/qwen3-vl-235b-a22b-instruct 131072 32768 i 0.21 1.9 0.1 -
qwen/qwen3.5-9b 262144 235929 ri 0.17 0.25 - -
qwen/qwen3.5-27b 262144 81920 ri 0.26 2.6 - -
qwen/qwen3.5-35b-a3b 262144 81920 ri 0.14 1 0.05 -
qwen/qwen3.5-122b-a10b 262144 65536 ri 0.26 2.08 - -
qwen/qwen3.5-397b-a17b 262144 81920 ri 0.45 3 0.22 -
qwen/qwen3.5-flash-02-23 1000000 65536 ri 0.065 0.26 - -
qwen/qwen3.5-plus-02-15 1000000 65536 ri 0.26 1.56 - - >256000 0.325 1.95 - -
qwen/qwen3.5-plus-20260420 1000000 65536 ri 0.3 1.8 - 0.375 >256000 0.375 2.25 - 0.46875
qwen/qwen3.6-27b 262144 81920 ri 0.32 3.2 - -
qwen/qwen3.6-35b-a3b 262144 235929 ri 0.1 0.9 0.025 -
qwen/qwen3.6-flash 1000000 65536 ri 0.1875 1.125 - 0.234375 >256000 0.75 3 - 0.9375
qwen/qwen3.6-plus 1000000 65536 ri 0.325 1.95 - 0.40625 >256000 1.3 3.9 - 1.625
qwen/qwen3.7-flash 1000000 65536 ri 0.03 0.13 0.006 0.038 >32000 0.1 0.4 0.02 0.125 >256000 0.2 0.8 0.04 0.25
qwen/qwen3.7-max 1000000 131072 r 1.475 4.425 0.295 1.84375
qwen/qwen3.7-plus 1000000 131072 ri 0.32 1.28 0.064 0.4 >256000 0.96 3.84 0.192 1.2
qwen/qwen3.7-plus:batch 262144 131072 ri 0.23 0.92 - -
qwen/qwen3.8-2.4t-a95b 1000000 131072 r 2 6 0.25 -
qwen/qwen3.8-27b 262144 235929 ri 0.06 2.2 0.059 -
qwen/qwen3.8-27b:batch 262144 235929 ri 0.16 2 0.04 -
qwen/qwen3.8-flash 1000000 131072 ri 0.15 0.47 0.016 -
qwen/qwen3.8-max-0902 1000000 131072 ri 2 6 0.25 -
qwen/qwen3.8-max-0902:batch 262144 131072 ri 1.15 3.45 - -
qwen/qwen3.8-max-prime 1000000 131072 ri 4 12 0.5 -
qwen/qwen3.8-omni-flash 1000000 131072 ri 0.15 0.47 0.016 -
qwen/qwen4-max 1000000 131072 ri 1.425 4.275 0.07125 1.78125
recursive/flint-v1.0:free 262144 235929 r 0 0 0 0
reflection/beam-1.0-501b-a23b 1048576 131072 r 0.25 1 0.05 -
rekaai/reka-edge 16384 14745 i 0.1 0.1 - -
relace/relace-search 256000 128000 - 1 3 - -
ricursiveai/ripple-65b-preview 1048576 131072 r 0.1 0.3 0.025 -
sakana/fugu-max 1000000 128000 ri 2 6 0.25 -
sakana/fugu-ultra 1000000 128000 ri 5 30 0.5 - >272000 10 45 1 -
sakana/fugu-ultra-v2 1000000 128000 ri 5 30 0.5 - >272000 10 45 1 -
sakana/sakana-namazu 262144 65536 ri 0.95 4 0.15 -
stepfun/step-3.7-flash 256000 230400 ri 0.2 1.15 0.04 -
stepfun/step-5-preview 1000000 64000 ri 1 2.7 0.1 -
tencent/hy3 262144 128000 r 0.132 0.528 0.033 -
tencent/hy3-preview 262144 235929 r 0.18 0.6 0.06 -
tencent/hy4 1048576 65536 ri 0.417 1.2505 0.021 -
tencent/hy4-flash 1048576 65536 ri 0.035 0.1405 0.0015 -
tencent/hy4-preview 1048576 64000 r 0.834 2.501 0.042 -
thinkingmachines/inkling 524288 471859 ri 1 4.05 0.17 -
thinkingmachines/inkling-2-small 1048576 943718 ri 0.3 1 0.03 -
thinkingmachines/inkling-small 524288 262144 ri 0.45 1.2 0.1 -
thinkingmachines/inkling-small:batch 524288 262144 ri 0.36 0.96 0.08 -
typesafe/jev-router 1000000 128000 ri
unbiased/pareto-26.9 262144 131072 i 2.5 7.5 0.25 -
unbiased/pareto-26.10 1048576 131072 i 0.8 3.2 0.03 -
unbiased/pareto-26.10-preview 1048576 131072 i 0.8 3.2 0.03 -
upstage/solar-mini4 524288 131072 r 0.05 0.2 0.005 -
upstage/solar-pro4 524288 131072 r 0.15 0.6 0.03 -
x-ai/grok-4.3 1000000 900000 ri 1.25 2.5 0.2 - >200000 2.5 5 0.4 -
x-ai/grok-4.3:batch 1000000 900000 ri 1 2 0.16 - >200000 2 4 0.32 -
x-ai/grok-4.5 500000 450000 ri 2 6 0.3 - >200000 4 12 0.6 -
x-ai/grok-4.6 500000 450000 ri 2 6 0.5 - >200000 4 12 1 -
x-ai/grok-4.6:batch 500000 450000 ri 1.6 4.8 0.4 - >200000 3.2 9.6 0.8 -
x-ai/grok-4.7 500000 450000 ri 2 6 0.5 - >200000 4 12 1 -
x-ai/grok-4.7:batch 500000 450000 ri 1.6 4.8 0.4 - >200000 3.2 9.6 0.8 -
x-ai/grok-4.20 2000000 1800000 ri 1.25 2.5 0.2 - >200000 2.5 5 0.4 -
xiaomi/mimo-v2.5 1000000 65536 ri 0.4 2 0.08 -
xiaomi/mimo-v2.5-pro 262144 235929 r 0.48 1.8 0.096 -
xiaomi/mimo-v2.6-flash 1048576 131072 ri 0.14 0.28 0.0028 -
xiaomi/mimo-v2.6-pro 1048576 131072 ri 0.435 0.87 0.0036 -
xiaomi/mimo-v2.6-pro-ultraspeed 1048576 131072 ri 4.35 8.7 0.036 -
z-ai/glm-4.5 131072 98304 r 0.6 2.2 0.11 -
z-ai/glm-4.5-air 131072 98304 r 0.13 0.85 0.025 -
z-ai/glm-4.5v 65536 16384 ri 0.6 1.8 0.11 -
z-ai/glm-4.6 202752 131072 r 0.5 2 0.1 -
z-ai/glm-4.6v 131072 32768 ri 0.3 0.9 0.05 -
z-ai/glm-4.7 202752 131072 r 0.4 1.75 0.08 -
z-ai/glm-4.7-flash 131072 117964 r 0.0605 0.4 - -
z-ai/glm-5 202752 131072 r 0.6 1.9 0.119 -
z-ai/glm-5-turbo 202752 131072 r 1.2 4 0.24 -
z-ai/glm-5.1 204800 131072 r 1.19 3.74 0.6 -
z-ai/glm-5.2 1048576 943718 r 0.62 2.42 0.14 -
z-ai/glm-5.2:batch 1048576 943718 r 0.322 0.989 0.109 -
z-ai/glm-5.3 1048576 943718 r 0.0699 1.4 0.0689 -
z-ai/glm-5.3-flash 1048576 131072 ri 0.0399 0.0784 0.03 -
z-ai/glm-5.3-flash:batch 1048575 943717 ri 0.023 0.068 0.009 -
z-ai/glm-5.3-flashx 1048576 131072 ri 0.37 1.25 0.075 -
z-ai/glm-5.3-flashx-legal 1048576 131072 ri 0.37 1.25 0.075 -
z-ai/glm-5.3-prime 1000000 131072 r 1.68 5.28 0.336 -
z-ai/glm-5.3:batch 1048575 943717 r 0.28 1.249 0.061 -
z-ai/glm-5v-turbo 202752 131072 ri 1.2 4 0.24 -
@ azure -
chat-latest 400000 128000 ri 5 30 0.5 -
deepseek-v4-pro 1000000 384000 r 1.925 3.828 0.165 -
gpt-4 8192 8192 - 30 60 - -
gpt-4-turbo 128000 - i 10 30 - -
gpt-4.1 1047576 32768 i 2 8 0.5 -
gpt-4.1-mini 1047576 32768 i 0.4 1.6 0.1 -
gpt-4.1-nano 1047576 32768 i 0.1 0.4 0.025 -
gpt-4o 128000 16384 i 2.5 10 1.25 -
gpt-4o-2024-05-13 128000 - i 5 15 - -
gpt-4o-mini 128000 16384 i 0.15 0.6 0.075 -
gpt-5 400000 128000 ri 1.25 10 0.125 -
gpt-5-chat-latest 128000 16384 i 1.25 10 0.125 -
gpt-5-mini 400000 128000 ri 0.25 2 0.025 -
gpt-5-nano 400000 128000 ri 0.05 0.4 0.005 -
gpt-5-pro 400000 128000 ri 15 120 - -
gpt-5.1 400000 128000 ri 1.25 10 0.125 -
gpt-5.2 400000 128000 ri 1.75 14 0.175 -
gpt-5.2-pro 400000 128000 ri 21 168 - -
gpt-5.3-codex 400000 128000 ri 1.75 14 0.175 -
gpt-5.3-codex-spark 128000 32000 ri 1.75 14 0.175 -
gpt-5.4 1050000 128000 ri 2.5 15 0.25 - >272000 5 22.5 0.5 -
gpt-5.4-mini 400000 128000 ri 0.75 4.5 0.075 -
gpt-5.4-nano 400000 128000 ri 0.2 1.25 0.02 -
gpt-5.4-pro 1050000 128000 ri 30 180 - - >272000 60 270 - -
gpt-5.5 1050000 128000 ri 5 30 0.5 - >272000 10 45 1 -
gpt-5.5-pro 1050000 128000 ri 30 180 - - >272000 60 270 - -
gpt-5.6-cyber 400000 128000 ri 12.5 75 1.25 15.625
gpt-5.6-luna 1050000 128000 ri 0.2 1.2 0.02 0.25 >272000 0.4 1.8 0.04 0.5
gpt-5.6-sol 1050000 128000 ri 4 20 0.4 5 >272000 8 30 0.8 10
gpt-5.6-terra 1050000 128000 ri 2 12 0.2 2.5 >272000 4 18 0.4 5
gpt-6-astra 1050000 128000 ri 10 50 1 12.5 >272000 20 75 2 25
gpt-6-cyber 1050000 128000 ri 20 100 2 25
gpt-6-luna 1050000 128000 ri 0.1 0.5 0.01 0.125 >272000 0.2 0.75 0.02 0.25
gpt-6-sol 1050000 128000 ri 2 10 0.2 2.5 >272000 4 15 0.4 5
gpt-6.1-sol 1050000 128000 ri 2 10 0.1 2.5 >272000 4 15 0.2 5
gpt-6.1-terra 1050000 128000 ri 1 5 0.05 1.25 >272000 2 7.5 0.1 2.5
gpt-6.2-astra 1050000 128000 ri 8 40 0.4 10 >272000 16 60 0.8 20
gpt-6.2-sol 1050000 128000 ri 2 10 0.1 2.5 >272000 4 15 0.2 5
gpt-daybreak-blue-latest 1050000 128000 ri 4 20 0.4 5 >272000 8 30 0.8 10
gpt-daybreak-red-latest 400000 128000 ri 12.5 75 1.25 15.625
o1 200000 100000 ri 15 60 7.5 -
o1-pro 200000 100000 ri 150 600 - -
o3 200000 100000 ri 2 8 0.5 -
o3-mini 200000 100000 r 1.1 4.4 0.55 -
o3-pro 200000 100000 ri 20 80 - -
o4-mini 200000 100000 ri 1.1 4.4 0.275 -
@ amazon-bedrock -
amazon.nova-2-lite-v1:0 1000000 65535 ri 0.33 2.75 0.0825 -
amazon.nova-lite-v1:0 300000 10000 i 0.06 0.24 0.015 -
amazon.nova-micro-v1:0 128000 10000 - 0.035 0.14 0.00875 -
amazon.nova-pro-v1:0 300000 10000 i 0.8 3.2 0.2 -
anthropic.claude-fable-5 1000000 128000 ri 11 55 1.1 13.75
anthropic.claude-fable-5-1 1000000 128000 ri 11 55 0.275 13.75
anthropic.claude-fable-5-2 1000000 128000 ri 8.8 44 0.22 11
anthropic.claude-haiku-4-5-20251001-v1:0 200000 64000 ri 1.1 5.5 0.11 1.375
anthropic.claude-haiku-5-5 1000000 128000 ri 0.11 0.55 0.011 0.1375 >100000 0.55 2.75 0.055 0.6875
anthropic.claude-opus-4-1-20250805-v1:0 200000 32000 ri 15 75 1.5 18.75
anthropic.claude-opus-4-5-20251101-v1:0 200000 64000 ri 5.5 27.5 0.55 6.875
anthropic.claude-opus-4-6-v1 1000000 128000 ri 5.5 27.5 0.55 6.875
anthropic.claude-opus-4-7 1000000 128000 ri 5.5 27.5 0.55 6.875
anthropic.claude-opus-4-8 1000000 128000 ri 5.5 27.5 0.55 6.875
anthropic.claude-opus-5-5 1000000 128000 ri 4.4 22 0.22 5.5
anthropic.claude-sonnet-4-5-20250929-v1:0 200000 64000 ri 3.3 16.5 0.33 4.125
anthropic.claude-sonnet-4-6 1000000 128000 ri 3.3 16.5 0.33 4.125
anthropic.claude-sonnet-5 1000000 128000 ri 2.2 11 0.22 2.75
anthropic.claude-sonnet-5-5 1000000 128000 ri 2.2 11 0.11 2.75
apac.amazon.nova-lite-v1:0 300000 10000 i 0.063 0.252 0.01575 0.063
apac.amazon.nova-micro-v1:0 128000 10000 - 0.037 0.148 0.00925 0.037
apac.amazon.nova-pro-v1:0 300000 10000 i 0.84 3.36 0.21 0.84
apac.anthropic.claude-sonnet-4-20250514-v1:0 200000 64000 ri 3 15 0.3 3.75
au.anthropic.claude-haiku-4-5-20251001-v1:0 200000 64000 ri 1.1 5.5 0.11 1.375
au.anthropic.claude-haiku-5-5 1000000 128000 ri 0.11 0.55 0.011 0.1375 >100000 0.55 2.75 0.055 0.6875
au.anthropic.claude-opus-4-6-v1 1000000 128000 ri 5.5 27.5 0.55 6.875
au.anthropic.claude-opus-4-7 1000000 128000 ri 5.5 27.5 0.55 6.875
au.anthropic.claude-opus-4-8 1000000 128000 ri 5.5 27.5 0.55 6.875
au.anthropic.claude-opus-5 1000000 128000 ri 5.5 27.5 0.55 6.875
au.anthropic.claude-opus-5-5 1000000 128000 ri 4.4 22 0.22 5.5
au.anthropic.claude-sonnet-4-5-20250929-v1:0 200000 64000 ri 3.3 16.5 0.33 4.125
au.anthropic.claude-sonnet-4-6 1000000 128000 ri 3.3 16.5 0.33 4.125
au.anthropic.claude-sonnet-5 1000000 128000 ri 2.2 11 0.22 2.75
au.anthropic.claude-sonnet-5-5 1000000 128000 ri 2.2 11 0.11 2.75
ca.amazon.nova-lite-v1:0 300000 10000 i 0.064 0.256 0.016 0.064
deepseek.v3-v1:0 163840 81920 r 0.58 1.68 - -
deepseek.v3.2 163840 81920 r 0.62 1.85 - -
eu.amazon.nova-2-lite-v1:0 1000000 65535 ri 0.374 3.157 0.0935 0.374
eu.amazon.nova-lite-v1:0 300000 10000 i 0.069 0.276 0.01725 0.069
eu.amazon.nova-micro-v1:0 128000 10000 - 0.04 0.16 0.01 0.04
eu.amazon.nova-pro-v1:0 300000 10000 i 0.92 3.68 0.23 0.92
eu.anthropic.claude-fable-5 1000000 128000 ri 11 55 1.1 13.75
eu.anthropic.claude-haiku-4-5-20251001-v1:0 200000 64000 ri 1.1 5.5 0.11 1.375
eu.anthropic.claude-haiku-5-5 1000000 128000 ri 0.11 0.55 0.011 0.1375 >100000 0.55 2.75 0.055 0.6875
eu.anthropic.claude-opus-4-5-20251101-v1:0 200000 64000 ri 5.5 27.5 0.55 6.875
eu.anthropic.claude-opus-4-6-v1 1000000 128000 ri 5.5 27.5 0.55 6.875
eu.anthropic.claude-opus-4-7 1000000 128000 ri 5.5 27.5 0.55 6.875
eu.anthropic.claude-opus-4-8 1000000 128000 ri 5.5 27.5 0.55 6.875
eu.anthropic.claude-opus-5 1000000 128000 ri 5.5 27.5 0.55 6.875
eu.anthropic.claude-opus-5-5 1000000 128000 ri 4.4 22 0.22 5.5
eu.anthropic.claude-sonnet-4-5-20250929-v1:0 200000 64000 ri 3.3 16.5 0.33 4.125
eu.anthropic.claude-sonnet-4-6 1000000 128000 ri 3.3 16.5 0.33 4.125
eu.anthropic.claude-sonnet-4-20250514-v1:0 200000 64000 ri 3 15 0.3 3.75
eu.anthropic.claude-sonnet-5 1000000 128000 ri 2.2 11 0.22 2.75
eu.anthropic.claude-sonnet-5-5 1000000 128000 ri 2.2 11 0.11 2.75
eu.mistral.pixtral-large-2502-v1:0 128000 8192 i 2 6 - -
global.amazon.nova-2-lite-v1:0 1000000 65535 ri 0.3 2.5 0.075 -
global.anthropic.claude-fable-5 1000000 128000 ri 10 50 1 12.5
global.anthropic.claude-fable-5-1 1000000 128000 ri 10 50 0.25 12.5
global.anthropic.claude-fable-5-2 1000000 128000 ri 8 40 0.2 10
global.anthropic.claude-haiku-4-5-20251001-v1:0 200000 64000 ri 1 5 0.1 1.25
global.anthropic.claude-haiku-5-5 1000000 128000 ri 0.1 0.5 0.01 0.125 >100000 0.5 2.5 0.05 0.625
global.anthropic.claude-opus-4-5-20251101-v1:0 200000 64000 ri 5 25 0.5 6.25
global.anthropic.claude-opus-4-6-v1 1000000 128000 ri 5 25 0.5 6.25
global.anthropic.claude-opus-4-7 1000000 128000 ri 5 25 0.5 6.25
global.anthropic.claude-opus-4-8 1000000 128000 ri 5 25 0.5 6.25
global.anthropic.claude-opus-5 1000000 128000 ri 5 25 0.5 6.25
global.anthropic.claude-opus-5-5 1000000 128000 ri 4 20 0.2 5
global.anthropic.claude-sonnet-4-5-20250929-v1:0 200000 64000 ri 3 15 0.3 3.75
global.anthropic.claude-sonnet-4-6 1000000 128000 ri 3 15 0.3 3.75
global.anthropic.claude-sonnet-4-20250514-v1:0 200000 64000 ri 3 15 0.3 3.75
global.anthropic.claude-sonnet-5 1000000 128000 ri 2 10 0.2 2.5
global.anthropic.claude-sonnet-5-5 1000000 128000 ri 2 10 0.1 2.5
global.moonshotai.kimi-k3 1048576 128000 ri 3 15 0.3 3.75
global.moonshotai.kimi-k3.1 1048576 1048576 ri 4 20 0.2 5
global.openai.gpt-5.6-luna 1050000 128000 ri 0.2 1.2 0.02 0.25 >272000 0.4 1.8 0.04 0.5
global.openai.gpt-5.6-sol 1050000 128000 ri 4 20 0.4 5 >272000 8 30 0.8 10
global.openai.gpt-5.6-terra 1050000 128000 ri 2 12 0.2 2.5 >272000 4 18 0.4 5
global.openai.gpt-6-astra 1050000 128000 ri 10 50 1 12.5 >272000 20 75 2 25
global.openai.gpt-6-luna 1050000 128000 ri 0.1 0.5 0.01 0.125 >272000 0.2 0.75 0.02 0.25
global.openai.gpt-6-sol 1050000 128000 ri 2 10 0.2 2.5 >272000 4 15 0.4 5
global.openai.gpt-6.1-sol 1050000 128000 ri 2 10 0.1 2.5 >272000 4 15 0.2 5
global.openai.gpt-6.1-terra 1050000 128000 ri 1 5 0.05 1.25 >272000 2 7.5 0.1 2.5
global.openai.gpt-6.2-astra 1050000 128000 ri 8 40 0.4 10 >272000 16 60 0.8 20
global.openai.gpt-6.2-sol 1050000 128000 ri 2 10 0.1 2.5 >272000 4 15 0.2 5
global.xai.grok-4.6 500000 500000 ri 2 6 0.5 -
global.xai.grok-4.7 500000 500000 ri 2 6 0.5 -
global.zai.glm-5.3 1000000 128000 r 1.68 5.28 0.312 2.1
google.gemma-4-26b-a4b 262144 32768 ri 0.13 0.4 - -
google.gemma-4-31b 262144 32768 ri 0.14 0.4 - -
google.gemma-4-e2b 131072 8192 ri 0.04 0.08 - -
in.anthropic.claude-haiku-4-5-20251001-v1:0 200000 64000 ri 1.1 5.5 0.11 1.375
in.anthropic.claude-opus-5 1000000 128000 ri 5.5 27.5 0.55 6.875
in.anthropic.claude-sonnet-5 1000000 128000 ri 2.2 11 0.22 2.75
in.openai.gpt-5.6-luna 1050000 128000 ri 0.22 1.32 0.022 0.275 >272000 0.44 1.98 0.044 0.55
in.openai.gpt-5.6-terra 1050000 128000 ri 2.2 13.2 0.22 2.75 >272000 4.4 19.8 0.44 5.5
jp.amazon.nova-2-lite-v1:0 1000000 65535 ri 0.396 3.311 0.099 0.396
jp.anthropic.claude-haiku-4-5-20251001-v1:0 200000 64000 ri 1.1 5.5 0.11 1.375
jp.anthropic.claude-haiku-5-5 1000000 128000 ri 0.11 0.55 0.011 0.1375 >100000 0.55 2.75 0.055 0.6875
jp.anthropic.claude-opus-4-7 1000000 128000 ri 5.5 27.5 0.55 6.875
jp.anthropic.claude-opus-4-8 1000000 128000 ri 5.5 27.5 0.55 6.875
jp.anthropic.claude-opus-5 1000000 128000 ri 5.5 27.5 0.55 6.875
jp.anthropic.claude-opus-5-5 1000000 128000 ri 4.4 22 0.22 5.5
jp.anthropic.claude-sonnet-4-5-20250929-v1:0 200000 64000 ri 3.3 16.5 0.33 4.125
jp.anthropic.claude-sonnet-4-6 1000000 128000 ri 3.3 16.5 0.33 4.125
jp.anthropic.claude-sonnet-5 1000000 128000 ri 2.2 11 0.22 2.75
meta.llama3-1-8b-instruct-v1:0 128000 - - 0.22 0.22 - -
meta.llama3-1-70b-instruct-v1:0 128000 - - 0.72 0.72 - -
meta.llama3-3-70b-instruct-v1:0 128000 - - 0.72 0.72 - -
meta.llama4-maverick-17b-instruct-v1:0 1000000 8192 i 0.24 0.97 - -
meta.llama4-scout-17b-instruct-v1:0 10000000 8192 i 0.17 0.66 - -
minimax.minimax-m2 204608 128000 r 0.3 1.2 - -
minimax.minimax-m2.1 196608 131072 r 0.3 1.2 - -
minimax.minimax-m2.5 196608 98304 r 0.3 1.2 - -
mistral.devstral-2-123b 262144 8192 - 0.4 2 - -
mistral.magistral-small-2509 128000 40000 ri 0.5 1.5 - -
mistral.ministral-3-3b-instruct 256000 8192 i 0.1 0.1 - -
mistral.ministral-3-8b-instruct 128000 - i 0.15 0.15 - -
mistral.ministral-3-14b-instruct 128000 - i 0.2 0.2 - -
mistral.mistral-large-3-675b-instruct 262144 8192 i 0.5 1.5 - -
mistral.pixtral-large-2502-v1:0 128000 8192 i 2 6 - -
mistral.voxtral-mini-3b-2507 32768 - - 0.04 0.04 - -
mistral.voxtral-small-24b-2507 32768 8192 - 0.1 0.3 - -
moonshot.kimi-k2-thinking 262144 16000 r 0.6 2.5 - -
moonshotai.kimi-k2.5 262144 16384 ri 0.6 3 - -
nvidia.nemotron-nano-3-30b 262144 8192 r 0.06 0.24 - -
nvidia.nemotron-nano-9b-v2 131072 8192 - 0.06 0.23 - -
nvidia.nemotron-nano-12b-v2 131072 8192 i 0.2 0.6 - -
nvidia.nemotron-super-3-120b 262144 131072 r 0.15 0.65 - -
openai.gpt-5.4 1000000 128000 ri 2.75 16.5 0.275 -
openai.gpt-5.5 1000000 128000 ri 5.5 33 0.55 -
openai.gpt-5.6-luna 1050000 128000 ri 0.22 1.32 0.022 0.275 >272000 0.44 1.98 0.044 0.55
openai.gpt-5.6-sol 1050000 128000 ri 4.4 22 0.44 5.5 >272000 8.8 33 0.88 11
openai.gpt-5.6-terra 1050000 128000 ri 2.2 13.2 0.22 2.75 >272000 4.4 19.8 0.44 5.5
openai.gpt-6-astra 1050000 128000 ri 11 55 1.1 13.75 >272000 22 82.5 2.2 27.5
openai.gpt-6-luna 1050000 128000 ri 0.11 0.55 0.011 0.1375 >272000 0.22 0.825 0.022 0.275
openai.gpt-6-sol 1050000 128000 ri 2.2 11 0.22 2.75 >272000 4.4 16.5 0.44 5.5
openai.gpt-6.1-sol 1050000 128000 ri 2.2 11 0.11 2.75 >272000 4.4 16.5 0.22 5.5
openai.gpt-6.1-terra 1050000 128000 ri 1.1 5.5 0.055 1.375 >272000 2.2 8.25 0.11 2.75
openai.gpt-6.2-astra 1050000 128000 ri 8.8 44 0.44 11 >272000 17.6 66 0.88 22
openai.gpt-6.2-sol 1050000 128000 ri 2.2 11 0.11 2.75 >272000 4.4 16.5 0.22 5.5
openai.gpt-oss-20b 131072 131072 r 0.07 0.3 - -
openai.gpt-oss-20b-1:0 131072 128000 r 0.07 0.3 - -
openai.gpt-oss-120b 131072 131072 r 0.15 0.6 - -
openai.gpt-oss-120b-1:0 131072 128000 r 0.15 0.6 - -
openai.gpt-oss-safeguard-20b 128000 16384 r 0.07 0.2 - -
openai.gpt-oss-safeguard-120b 128000 16384 r 0.15 0.6 - -
qwen.qwen3-32b-v1:0 32768 16384 r 0.15 0.6 - -
qwen.qwen3-235b-a22b-2507-v1:0 262144 131072 - 0.22 0.88 - -
qwen.qwen3-coder-30b-a3b-v1:0 262144 131072 - 0.15 0.6 - -
qwen.qwen3-coder-480b-a35b-v1:0 131072 65536 - 0.45 1.8 - -
qwen.qwen3-coder-next 262144 65536 - 0.5 1.2 - -
qwen.qwen3-next-80b-a3b 262144 262000 - 0.15 1.2 - -
qwen.qwen3-vl-235b-a22b 262144 262000 i 0.53 2.66 - -
us-gov.openai.gpt-oss-20b-1:0 128000 16384 r 0.084 0.36 - -
us-gov.openai.gpt-oss-120b-1:0 128000 16384 r 0.18 0.72 - -
us.amazon.nova-2-lite-v1:0 1000000 65535 ri 0.33 2.75 0.0825 -
us.amazon.nova-lite-v1:0 300000 10000 i 0.06 0.24 0.015 -
us.amazon.nova-micro-v1:0 128000 10000 - 0.035 0.14 0.00875 -
us.amazon.nova-premier-v1:0 1000000 10000 i 2.5 12.5 0.625 2.5
us.amazon.nova-pro-v1:0 300000 10000 i 0.8 3.2 0.2 -
us.anthropic.claude-fable-5 1000000 128000 ri 11 55 1.1 13.75
us.anthropic.claude-fable-5-1 1000000 128000 ri 11 55 0.275 13.75
us.anthropic.claude-fable-5-2 1000000 128000 ri 8.8 44 0.22 11
us.anthropic.claude-haiku-4-5-20251001-v1:0 200000 64000 ri 1.1 5.5 0.11 1.375
us.anthropic.claude-haiku-5-5 1000000 128000 ri 0.11 0.55 0.011 0.1375 >100000 0.55 2.75 0.055 0.6875
us.anthropic.claude-opus-4-1-20250805-v1:0 200000 32000 ri 15 75 1.5 18.75
us.anthropic.claude-opus-4-5-20251101-v1:0 200000 64000 ri 5.5 27.5 0.55 6.875
us.anthropic.claude-opus-4-6-v1 1000000 128000 ri 5.5 27.5 0.55 6.875
us.anthropic.claude-opus-4-7 1000000 128000 ri 5.5 27.5 0.55 6.875
us.anthropic.claude-opus-4-8 1000000 128000 ri 5.5 27.5 0.55 6.875
us.anthropic.claude-opus-5 1000000 128000 ri 5.5 27.5 0.55 6.875
us.anthropic.claude-opus-5-5 1000000 128000 ri 4.4 22 0.22 5.5
us.anthropic.claude-sonnet-4-5-20250929-v1:0 200000 64000 ri 3.3 16.5 0.33 4.125
us.anthropic.claude-sonnet-4-6 1000000 128000 ri 3.3 16.5 0.33 4.125
us.anthropic.claude-sonnet-4-20250514-v1:0 200000 64000 ri 3 15 0.3 3.75
us.anthropic.claude-sonnet-5 1000000 128000 ri 2.2 11 0.22 2.75
us.anthropic.claude-sonnet-5-5 1000000 128000 ri 2.2 11 0.11 2.75
us.meta.llama3-1-8b-instruct-v1:0 128000 - - 0.22 0.22 - -
us.meta.llama3-1-70b-instruct-v1:0 128000 - - 0.72 0.72 - -
us.meta.llama3-3-70b-instruct-v1:0 128000 - - 0.72 0.72 - -
us.meta.llama4-maverick-17b-instruct-v1:0 1000000 8192 i 0.24 0.97 - -
us.meta.llama4-scout-17b-instruct-v1:0 10000000 8192 i 0.17 0.66 - -
us.mistral.pixtral-large-2502-v1:0 128000 8192 i 2 6 - -
us.moonshotai.kimi-k3 1048576 128000 ri 3.3 16.5 0.33 4.125
us.moonshotai.kimi-k3.1 1048576 1048576 ri 4.4 22 0.22 5.5
us.openai.gpt-5.6-luna 1050000 128000 ri 0.22 1.32 0.022 0.275 >272000 0.44 1.98 0.044 0.55
us.openai.gpt-5.6-sol 1050000 128000 ri 4.4 22 0.44 5.5 >272000 8.8 33 0.88 11
us.openai.gpt-5.6-terra 1050000 128000 ri 2.2 13.2 0.22 2.75 >272000 4.4 19.8 0.44 5.5
us.openai.gpt-6-astra 1050000 128000 ri 11 55 1.1 13.75 >272000 22 82.5 2.2 27.5
us.openai.gpt-6-luna 1050000 128000 ri 0.11 0.55 0.011 0.1375 >272000 0.22 0.825 0.022 0.275
us.openai.gpt-6-sol 1050000 128000 ri 2.2 11 0.22 2.75 >272000 4.4 16.5 0.44 5.5
us.openai.gpt-6.1-sol 1050000 128000 ri 2.2 11 0.11 2.75 >272000 4.4 16.5 0.22 5.5
us.openai.gpt-6.1-terra 1050000 128000 ri 1.1 5.5 0.055 1.375 >272000 2.2 8.25 0.11 2.75
us.openai.gpt-6.2-astra 1050000 128000 ri 8.8 44 0.44 11 >272000 17.6 66 0.88 22
us.openai.gpt-6.2-sol 1050000 128000 ri 2.2 11 0.11 2.75 >272000 4.4 16.5 0.22 5.5
us.writer.palmyra-x4-v1:0 122880 8192 r 2.5 10 - -
us.writer.palmyra-x5-v1:0 1040000 8192 r 0.6 6 - -
us.xai.grok-4.6 500000 500000 ri 2.2 6.6 0.55 -
us.xai.grok-4.7 500000 500000 ri 2.2 6.6 0.55 -
us.zai.glm-5.3 1000000 128000 r 1.848 5.808 0.3432 2.31
writer.palmyra-x4-v1:0 122880 8192 r 2.5 10 - -
writer.palmyra-x5-v1:0 1040000 8192 r 0.6 6 - -
xai.grok-4.3 1000000 131072 ri 1.25 2.5 0.2 -
xai.grok-4.6 500000 500000 ri 2.2 6.6 0.55 -
zai.glm-4.7 202752 131072 r 0.6 2.2 - -
zai.glm-4.7-flash 202752 131072 r 0.07 0.4 - -
zai.glm-5 202752 131072 r 1 3.2 - -
@ google-vertex -
gemini-2.5-flash 1048576 65536 ri 0.3 2.5 0.03 -
gemini-2.5-flash-lite 1048576 65536 ri 0.1 0.4 0.01 -
gemini-2.5-pro 1048576 65536 ri 1.25 10 0.125 - >200000 2.5 15 0.25 -
gemini-3-flash-preview 1048576 65536 ri 0.5 3 0.05 -
gemini-3.1-flash-lite 1048576 65536 ri 0.25 1.5 0.025 -
gemini-3.1-pro-preview 1048576 65536 ri 2 12 0.2 - >200000 4 18 0.4 -
gemini-3.1-pro-preview-customtools 1048576 65536 ri 2 12 0.2 - >200000 4 18 0.4 -
gemini-3.5-flash 1048576 65536 ri 1.5 9 0.15 -
gemini-3.5-flash-lite 1048576 65536 ri 0.3 2.5 0.03 -
gemini-3.6-flash 1048576 65536 ri 0.75 3.75 0.075 -
gemini-3.7-flash 1048576 65536 ri 0.75 3.75 0.075 -
gemini-3.8-flash 1048576 65536 ri 0.75 3.75 0.075 -
gemini-4-argon 1048576 65536 ri 2 10 0.1 -
gemini-4-carbon 1048576 65536 ri 2 10 0.1 -
gemini-4-hydrogen 1048576 65536 ri 1.5 7.5 0.075 -
gemini-4-neon 1048576 65536 ri 3 15 0.15 -
gemini-robotics-er-2-preview 131072 65536 ri 1 5 0.1 -
@ vercel-ai-gateway ai-gateway.vercel.sh
alibaba/qwen-3-14b 40960 16384 r 0.12 0.24 - -
alibaba/qwen-3-30b 40960 16384 r 0.12 0.5 - -
alibaba/qwen-3-32b 128000 8192 r 0.15 0.6 - -
alibaba/qwen3-coder-30b-a3b 262144 8192 - 0.15 0.6 - -
alibaba/qwen3-coder-next 256000 256000 - 0.5 1.2 - -
alibaba/qwen3-max-thinking 256000 65536 r 1.2 6 0.24 - >32000 2.4 12 0.48 - >128000 3 15 0.6 -
alibaba/qwen3-next-80b-a3b-instruct 262144 32768 - 0.09 1.1 - -
alibaba/qwen3-vl-instruct 262144 262144 i 0.2 0.88 0.11 -
alibaba/qwen3.5-flash 1000000 64000 ri 0.1 0.4 0.01 0.125
alibaba/qwen3.5-plus 1000000 64000 ri 0.4 2.4 0.04 0.5 >256000 0.5 3 0.05 0.625
alibaba/qwen3.6-27b 256000 256000 ri 0.6 3.6 - -
alibaba/qwen3.6-35b-a3b 262144 65536 ri 0.375 2.25 - -
alibaba/qwen3.6-plus 1000000 64000 ri 0.5 3 0.05 0.625 >255999 2 6 0.2 2.5
alibaba/qwen3.7-flash 991000 64000 ri 0.03 0.13 0.006 0.038 >31999 0.1 0.4 0.02 0.125 >255999 0.2 0.8 0.04 0.25
alibaba/qwen3.7-max 991000 64000 r 2.5 7.5 0.5 3.125
alibaba/qwen3.7-plus 1000000 64000 ri 0.4 1.6 0.08 0.5 >255999 1.2 4.8 0.24 1.5
alibaba/qwen3.8-2.4t-a95b 262144 131072 ri 2 6 0.25 -
alibaba/qwen3.8-27b 262144 262144 ri 0.06 2.2 0.059 -
alibaba/qwen3.8-flash 991000 128000 ri 0.15 0.47 0.016 0.2
alibaba/qwen3.8-max 1000000 128000 ri 2 6 0.25 2.5
alibaba/qwen3.8-max-0902 991000 128000 ri 2 6 0.25 2.5
alibaba/qwen3.8-max-prime 1000000 131072 ri 4 12 0.5 5
alibaba/qwen3.8-omni-flash 1000000 131072 ri 0.15 0.47 0.016 -
alibaba/qwen4-max 1000000 384000 ri 1.5 4.5 0.075 1.875
amazon/nova-2-lite 1000000 1000000 ri 0.33 2.75 0.0825 -
amazon/nova-lite 300000 8192 i 0.06 0.24 0.015 -
amazon/nova-micro 128000 8192 - 0.035 0.14 0.0087 -
amazon/nova-pro 300000 8192 i 0.8 3.2 0.2 -
anthropic/claude-fable-5 1000000 128000 ri 10 50 1 12.5
anthropic/claude-fable-5-batch 1000000 128000 ri 5 25 0.5 6.25
anthropic/claude-fable-5.1 1000000 128000 ri 10 50 0.25 12.5
anthropic/claude-fable-5.1-batch 1000000 128000 ri 5 25 0.125 6.25
anthropic/claude-fable-5.2 1000000 128000 ri 8 40 0.2 10
anthropic/claude-fable-5.2-batch 1000000 128000 ri 4 20 0.1 5
anthropic/claude-fable-5.2-fast 1000000 128000 ri 16 80 0.4 20
anthropic/claude-haiku-4.5 200000 64000 ri 1 5 0.1 1.25
anthropic/claude-haiku-4.5-batch 200000 64000 ri 0.5 2.5 0.05 0.625
anthropic/claude-haiku-5.5 1000000 128000 ri 0.1 0.5 0.01 0.125 >100000 0.5 2.5 0.05 0.625
anthropic/claude-haiku-5.5-batch 1000000 128000 ri 0.05 0.25 0.005 0.0625 >100000 0.25 1.25 0.025 0.3125
anthropic/claude-opus-4.5 200000 64000 ri 5 25 0.5 6.25
anthropic/claude-opus-4.5-batch 200000 64000 ri 2.5 12.5 0.25 3.125
anthropic/claude-opus-4.6 1000000 128000 ri 5 25 0.5 6.25
anthropic/claude-opus-4.6-batch 1000000 128000 ri 2.5 12.5 0.25 3.125
anthropic/claude-opus-4.7 1000000 128000 ri 5 25 0.5 6.25
anthropic/claude-opus-4.7-batch 1000000 128000 ri 2.5 12.5 0.25 3.125
anthropic/claude-opus-4.8 1000000 128000 ri 5 25 0.5 6.25
anthropic/claude-opus-4.8-batch 1000000 128000 ri 2.5 12.5 0.25 3.125
anthropic/claude-opus-4.8-fast 1000000 128000 ri 10 50 1 12.5
anthropic/claude-opus-5 1000000 128000 ri 5 25 0.5 6.25
anthropic/claude-opus-5-batch 1000000 128000 ri 2.5 12.5 0.25 3.125
anthropic/claude-opus-5-fast 1000000 128000 ri 10 50 1 12.5
anthropic/claude-opus-5.5 1000000 128000 ri 4 20 0.2 5
anthropic/claude-opus-5.5-batch 1000000 128000 ri 2 10 0.1 2.5
anthropic/claude-opus-5.5-fast 1000000 128000 ri 8 40 0.4 10
anthropic/claude-sonnet-4.5 1000000 64000 ri 3 15 0.3 3.75 >200000 6 22.5 0.6 7.5
anthropic/claude-sonnet-4.5-batch 1000000 64000 ri 1.5 7.5 0.15 1.875 >200000 3 11.25 0.3 3.75
anthropic/claude-sonnet-4.6 1000000 128000 ri 3 15 0.3 3.75
anthropic/claude-sonnet-4.6-batch 1000000 128000 ri 1.5 7.5 0.15 1.875
anthropic/claude-sonnet-5 1000000 128000 ri 2 10 0.2 2.5
anthropic/claude-sonnet-5-batch 1000000 128000 ri 1 5 0.1 1.25
anthropic/claude-sonnet-5.5 1000000 128000 ri 2 10 0.1 2.5
anthropic/claude-sonnet-5.5-batch 1000000 128000 ri 1 5 0.05 1.25
bytedance/seed-2.1-turbo 262144 262144 ri 0.5 2.5 0.1 -
callstack/apex 262144 131072 ri 0.5 3 0.2 -
cohere/command-a 256000 8000 - 2.5 10 - -
deepseek/deepseek-r1 128000 8192 r 1.35 5.4 - -
deepseek/deepseek-v3.1 163840 128000 r 0.25 0.95 0.13 -
deepseek/deepseek-v3.2 128000 8000 - 0.62 1.85 - -
deepseek/deepseek-v3.2-thinking 128000 8000 - 0.62 1.85 - -
deepseek/deepseek-v4-flash 1000000 384000 r 0.13 0.26 0.028 -
deepseek/deepseek-v4-flash-0731 1000000 384000 r 0.13 0.26 0.028 -
deepseek/deepseek-v4-flash-vision-exp 1048576 1048576 ri 0.2156 0.6468 0.0068 -
deepseek/deepseek-v4-pro 1048600 1048600 r 1.32 3.96 0.132 -
deepseek/deepseek-v4-pro-0813 1048600 384000 r 0.66 1.98 0.066 -
deepseek/deepseek-v4.1-flash 1048576 1048576 ri 0.3 1.2 0.006 -
deepseek/deepseek-v4.1-flash-1017 1048576 262144 ri 0.3 1.2 0.007 -
deepseek/deepseek-v4.1-flash-1017-fast 1048576 262144 ri 0.6 2.4 0.014 -
deepseek/deepseek-v4.1-flash-1017-ultrafast 1048576 1048576 ri 2.4 9.6 0.048 -
deepseek/deepseek-v4.1-flash-fast 1048576 32768 ri 0.6 2.4 0.014 -
fireworks/ember-1 1048576 1048576 ri 3 15 0.3 -
google/gemini-2.5-flash 1000000 65535 ri 0.3 2.5 0.03 -
google/gemini-2.5-flash-batch 1000000 64000 ri 0.15 1.25 0.03 -
google/gemini-2.5-flash-lite 1048576 65535 ri 0.1 0.4 0.01 -
google/gemini-2.5-flash-lite-batch 1048576 65535 ri 0.05 0.2 0.01 -
google/gemini-2.5-pro 1048576 65535 ri 1.25 10 0.125 - >200000 2.5 15 0.25 -
google/gemini-2.5-pro-batch 1048576 65535 ri 0.625 5 0.125 - >200000 1.25 7.5 0.25 -
google/gemini-3-flash 1000000 65000 ri 0.5 3 0.05 - >200000 0.5 3 0.05 -
google/gemini-3-flash-batch 1000000 64000 ri 0.25 1.5 0.05 - >200000 0.25 1.5 0.05 -
google/gemini-3.1-flash-lite 1000000 65000 ri 0.25 1.5 0.03 -
google/gemini-3.1-flash-lite-batch 1000000 65000 ri 0.125 0.75 0.015 -
google/gemini-3.1-pro-preview 1000000 64000 ri 2 12 0.2 - >200000 4 18 0.4 -
google/gemini-3.1-pro-preview-batch 1000000 64000 ri 1 6 0.2 - >200000 2 9 0.4 -
google/gemini-3.5-flash 1000000 64000 ri 1.5 9 0.15 -
google/gemini-3.5-flash-lite 1000000 65000 ri 0.3 2.5 0.03 -
google/gemini-3.5-flash-lite-batch 1000000 65000 ri 0.15 1.25 0.015 -
google/gemini-3.6-flash 1000000 64000 ri 0.75 3.75 0.075 -
google/gemini-3.6-flash-batch 1000000 64000 ri 0.375 1.875 0.0375 -
google/gemini-3.7-flash 1000000 65535 ri 0.75 3.75 0.075 -
google/gemini-3.8-flash 1000000 65535 ri 0.75 3.75 0.075 -
google/gemini-4-argon 1000000 1000000 ri 2 10 0.1 -
google/gemini-4-carbon 1000000 1000000 ri 2 10 0.1 -
google/gemini-4-hydrogen 1000000 1000000 ri 1.5 7.5 0.075 -
google/gemini-4-neon 1000000 1000000 ri 3 15 0.15 -
google/gemma-4-26b-a4b-it 262144 131072 ri 0.15 0.6 0.015 -
google/gemma-4-31b-it 262144 131072 ri 0.14 0.4 - -
humansand/ampersand-v0.1 1000000 32768 r
inception/mercury-3 1000000 131072 r 0.1 0.35 0.01 -
inclusionai/ling-3.0-flash 256000 32000 r 0.021 0.063 0.0042 -
inclusionai/ling-3.0-flash-fin 256000 32000 r 0.075 0.22 0.015 -
inclusionai/ling-3.0-flash-sante 256000 32000 r 0.075 0.22 0.015 -
inclusionai/ling-3.0-flash-vl 256000 32000 ri 0.075 0.22 0.015 -
inclusionai/ling-3.1-flash 262144 32768 r 0.3 0.9 0.06 -
inclusionai/ling-3.1-flash-1019 1000000 262144 r 0.3 0.9 0.06 -
interfaze/interfaze-beta 1000000 32000 ri 1.5 3.5 - -
liquid/lfm2.5-24b-a2b 128000 8200 r 0.05 0.7 0.025 -
meituan/longcat-2.5 1048576 131072 ri 0.3 1.2 0.006 -
meta/llama-3.1-8b 128000 8192 - 0.22 0.22 - -
meta/llama-3.1-70b 128000 8192 - 0.72 0.72 - -
meta/llama-3.3-70b 128000 8192 - 0.72 0.72 - -
meta/llama-4-maverick 128000 8192 i 0.24 0.97 - -
meta/llama-4-scout 128000 8192 i 0.17 0.66 - -
meta/muse-ember 1048576 1048576 ri 0.1 0.5 0.004 -
meta/muse-glimmer-30b 131072 131072 ri 0.35 1.5 0.04 -
meta/muse-spark-1.1 1048576 1048576 ri 1.25 4.25 0.15 -
meta/muse-spark-1.2 1048576 1048576 ri 1.25 4.25 0.15 -
meta/muse-spark-1.2-contributor 1048576 1048576 ri 0.1 0.2 0.002 -
meta/muse-spark-1.3 1048576 1048576 ri 1.25 4.25 0.15 -
meta/muse-spark-1.3-contributor 1048576 1048576 ri 0.1 0.2 0.002 -
meta/muse-spark-open 1048576 1048576 ri 1.25 4.25 0.15 -
meta/muse-wonder-1.0 1048576 1048576 ri 4 20 0.2 -
minimax/minimax-m2.1 204800 131072 r 0.3 1.2 0.15 -
minimax/minimax-m2.5 1000000 8192 r 0.3 1.2 - -
minimax/minimax-m2.7 196608 196608 r 0.21 0.84 0.042 -
minimax/minimax-m3 1000000 1000000 ri 0.3 1.2 0.06 - >511999 1.2 4.8 0.24 -
minimax/minimax-m3.1-flash 1000000 524288 ri 0.15 0.6 0.015 -
mistral/codestral 128000 4000 - 0.3 0.9 0.03 -
mistral/ministral-3b 131072 4000 i 0.1 0.1 0.01 -
mistral/ministral-8b 262144 4000 i 0.15 0.15 0.015 -
mistral/ministral-14b 262144 256000 i 0.2 0.2 0.02 -
mistral/mistral-large-3 262144 256000 i 0.5 1.5 0.05 -
mistral/mistral-large-4 1048576 262144 ri 0.7 2.1 0.07 -
mistral/mistral-medium-3.5 262144 256000 ri 1.5 7.5 0.15 -
mistral/mistral-nemo 131072 131072 - 0.029 0.03 - -
mistral/mistral-small 262144 4000 i 0.15 0.6 0.015 -
mixedbread/toast-1 131000 4000 - 0.3 0.72 0.036 -
moonshotai/kimi-k2 131072 131072 - 0.57 2.3 - -
moonshotai/kimi-k2.5 256000 256000 ri 0.6 3 - -
moonshotai/kimi-k2.6 262000 262000 ri 0.95 4 0.16 -
moonshotai/kimi-k2.7-code 256000 32768 ri 0.95 4 0.19 -
moonshotai/kimi-k2.7-code-highspeed 262144 32768 ri 1.9 8 0.38 -
moonshotai/kimi-k3 1000000 131072 ri 3 15 0.3 -
moonshotai/kimi-k3-fast 1000000 131072 ri 6 22.5 0.6 -
moonshotai/kimi-k3.1-pro 1000000 131072 ri 2 10 0.2 -
moonshotai/kimi-k3.1-pro-highspeed 1048576 131072 ri 4 20 0.2 5
nvidia/nemotron-3-super-120b-a12b 256000 32000 r 0.15 0.65 - -
nvidia/nemotron-3-ultra-550b-a55b 1000000 65000 r 0.6 2.4 0.12 -
nvidia/nemotron-3.5-lightning 262144 131072 r 0.06 0.16 0.03 -
nvidia/nemotron-3.5-lightning-free 1000000 65000 r
nvidia/nemotron-3.5-super-vl 1048576 1048576 ri 0.2 0.5 0.04 -
nvidia/nemotron-nano-9b-v2 131072 131072 r 0.06 0.23 - -
nvidia/nemotron-nano-12b-v2-vl 131072 131072 ri 0.2 0.6 - -
openai/gpt-4.1 1047576 32768 i 2 8 0.5 -
openai/gpt-4.1-batch 1047576 32768 i 1 4 0.25 -
openai/gpt-4.1-fast 1047576 32768 i 3.5 14 0.875 -
openai/gpt-4.1-mini 1047576 32768 i 0.4 1.6 0.1 -
openai/gpt-4.1-mini-batch 1047576 32768 i 0.2 0.8 0.05 -
openai/gpt-4.1-mini-fast 1047576 32768 i 0.7 2.8 0.175 -
openai/gpt-4.1-nano 1047576 32768 i 0.1 0.4 0.03 -
openai/gpt-4o 128000 16384 i 2.5 10 1.25 -
openai/gpt-4o-batch 128000 16384 i 1.25 5 0.625 -
openai/gpt-4o-fast 128000 16384 i 4.25 17 2.125 -
openai/gpt-4o-mini 128000 16384 i 0.15 0.6 0.075 -
openai/gpt-4o-mini-batch 128000 16384 i 0.075 0.3 0.0375 -
openai/gpt-4o-mini-fast 128000 16384 i 0.25 1 0.125 -
openai/gpt-5 400000 128000 ri 1.25 10 0.125 -
openai/gpt-5-batch 400000 128000 ri 0.625 5 0.0625 -
openai/gpt-5-codex 400000 128000 ri 1.25 10 0.13 -
openai/gpt-5-fast 400000 128000 ri 2.5 20 0.25 -
openai/gpt-5-mini 400000 128000 ri 0.25 2 0.025 -
openai/gpt-5-mini-batch 400000 128000 ri 0.125 1 0.0125 -
openai/gpt-5-mini-fast 400000 128000 ri 0.45 3.6 0.045 -
openai/gpt-5-nano 400000 128000 ri 0.05 0.4 0.005 -
openai/gpt-5-nano-batch 400000 128000 ri 0.025 0.2 0.0025 -
openai/gpt-5-pro 400000 272000 ri 15 120 - -
openai/gpt-5-pro-batch 400000 272000 ri 7.5 60 - -
openai/gpt-5.1-codex 400000 128000 ri 1.25 10 0.13 -
openai/gpt-5.1-codex-max 400000 128000 ri 1.25 10 0.125 -
openai/gpt-5.1-codex-mini 400000 128000 ri 0.25 2 0.03 -
openai/gpt-5.1-thinking 400000 128000 ri 1.25 10 0.125 -
openai/gpt-5.1-thinking-fast 400000 128000 ri 2.5 20 0.25 -
openai/gpt-5.2 400000 128000 ri 1.75 14 0.175 -
openai/gpt-5.2-batch 400000 128000 ri 0.875 7 0.0875 -
openai/gpt-5.2-codex 400000 128000 ri 1.75 14 0.175 -
openai/gpt-5.2-fast 400000 128000 ri 3.5 28 0.35 -
openai/gpt-5.2-pro 400000 128000 ri 21 168 - -
openai/gpt-5.3-codex 400000 128000 ri 1.75 14 0.175 -
openai/gpt-5.3-codex-fast 400000 128000 ri 3.5 28 0.35 -
openai/gpt-5.4 1050000 128000 ri 2.5 15 0.25 - >271999 5 22.5 0.5 -
openai/gpt-5.4-batch 1050000 128000 ri 1.25 7.5 0.125 - >271999 2.5 11.25 0.25 -
openai/gpt-5.4-fast 1050000 128000 ri 5 30 0.5 -
openai/gpt-5.4-mini 400000 128000 ri 0.75 4.5 0.075 -
openai/gpt-5.4-mini-batch 400000 128000 ri 0.375 2.25 0.0375 -
openai/gpt-5.4-mini-fast 400000 128000 ri 1.5 9 0.15 -
openai/gpt-5.4-nano 400000 128000 ri 0.2 1.25 0.02 -
openai/gpt-5.4-nano-batch 400000 128000 ri 0.1 0.625 0.01 -
openai/gpt-5.4-pro 1050000 128000 ri 30 180 - - >271999 60 270 - -
openai/gpt-5.5 1000000 128000 ri 5 30 0.5 - >271999 10 45 1 -
openai/gpt-5.5-batch 1000000 128000 ri 2.5 15 0.25 - >271999 5 22.5 0.5 -
openai/gpt-5.5-fast 1000000 128000 ri 12.5 75 1.25 -
openai/gpt-5.5-pro 1000000 128000 ri 30 180 - - >271999 60 270 - -
openai/gpt-5.5-pro-batch 1000000 128000 ri 15 90 - - >271999 30 135 - -
openai/gpt-5.6-luna 1050000 128000 ri 0.2 1.2 0.02 0.25 >271999 0.4 1.8 0.04 0.5
openai/gpt-5.6-luna-batch 1050000 128000 ri 0.1 0.6 0.01 0.125 >271999 0.2 0.9 0.02 0.25
openai/gpt-5.6-luna-fast 1050000 128000 ri 0.4 2.4 0.04 0.5 >271999 0.8 3.6 0.08 1
openai/gpt-5.6-sol 1050000 128000 ri 4 20 0.4 5 >271999 8 30 0.8 10
openai/gpt-5.6-sol-batch 1050000 128000 ri 2 10 0.2 2.5 >271999 4 15 0.4 5
openai/gpt-5.6-sol-fast 1050000 128000 ri 8 40 0.8 10 >271999 16 60 1.6 20
openai/gpt-5.6-terra 1050000 128000 ri 2 12 0.2 2.5 >271999 4 18 0.4 5
openai/gpt-5.6-terra-batch 1050000 128000 ri 1 6 0.1 1.25 >271999 2 9 0.2 2.5
openai/gpt-5.6-terra-fast 1050000 128000 ri 4 24 0.4 5 >271999 8 36 0.8 10
openai/gpt-6-astra 1050000 128000 ri 10 50 1 12.5 >272000 20 75 2 25
openai/gpt-6-astra-batch 1050000 128000 ri 5 25 0.5 6.25 >272000 10 37.5 1 12.5
openai/gpt-6-astra-fast 1050000 128000 ri 20 100 2 25 >272000 40 150 4 50
openai/gpt-6-luna 1050000 128000 ri 0.1 0.5 0.01 0.125 >272000 0.2 0.75 0.02 0.25
openai/gpt-6-luna-batch 1050000 128000 ri 0.05 0.25 0.005 0.0625 >272000 0.1 0.375 0.01 0.125
openai/gpt-6-luna-fast 1050000 128000 ri 0.2 1 0.02 0.25 >272000 0.4 1.5 0.04 0.5
openai/gpt-6-sol 1050000 128000 ri 2 10 0.2 2.5 >272000 4 15 0.4 5
openai/gpt-6-sol-batch 1050000 128000 ri 1 5 0.1 1.25 >272000 2 7.5 0.2 2.5
openai/gpt-6-sol-fast 1050000 128000 ri 4 20 0.4 5 >272000 8 30 0.8 10
openai/gpt-6.1-sol 1050000 128000 ri 2 10 0.1 2.5 >272000 4 15 0.2 5
openai/gpt-6.1-sol-batch 1050000 128000 ri 1 5 0.05 1.25 >272000 2 7.5 0.1 2.5
openai/gpt-6.1-sol-fast 1050000 128000 ri 4 20 0.2 5 >272000 8 30 0.4 10
openai/gpt-6.1-terra 1050000 128000 ri 1 5 0.05 1.25 >272000 2 7.5 0.1 2.5
openai/gpt-6.1-terra-fast 1050000 128000 ri 2 10 0.1 2.5 >272000 4 15 0.2 5
openai/gpt-6.2-astra 1050000 128000 ri 8 40 0.4 10 >272000 16 60 0.8 20
openai/gpt-6.2-astra-fast 1050000 128000 ri 16 80 0.8 20 >272000 32 120 1.6 40
openai/gpt-6.2-sol 1050000 128000 ri 2 10 0.1 2.5 >272000 4 15 0.2 5
openai/gpt-6.2-sol-fast 1050000 128000 ri 4 20 0.2 5 >272000 8 30 0.4 10
openai/gpt-oss-20b 131072 8192 r 0.03 0.14 - -
openai/gpt-oss-120b 131072 131072 r 0.1 0.5 0.1 -
openai/gpt-oss-safeguard-20b 128000 16000 r 0.07 0.2 - -
openai/gpt-oss-safeguard-120b 128000 16000 r 0.15 0.6 - -
openai/o1 200000 100000 ri 15 60 7.5 -
openai/o3 200000 100000 ri 2 8 0.5 -
openai/o3-fast 200000 100000 ri 3.5 14 0.875 -
openai/o3-mini 200000 100000 r 1.1 4.4 0.55 -
openai/o3-pro 200000 100000 ri 20 80 - -
openai/o4-mini 200000 100000 ri 1.1 4.4 0.275 -
paperinstruments/ultramarine-1-flash 1048576 131000 ri 0.15 0.5 0.03 -
particle/particle-1 1048576 131072 ri 0.125 0.5 0.015 -
quiverai/arrow-2 131072 131072 ri 4 20 0.4 5
quiverai/arrow-2-telos 131072 131072 ri 6 30 0.6 7.5
recursive/flint-v1.0 262144 262144 r
reflection/beam 1048576 131072 r
reflection/beam-free 1048576 131072 r
sakana/fugu-max 1000000 1000000 ri 2 6 0.25 -
sakana/fugu-ultra 1000000 1000000 ri 5 30 0.5 - >272000 10 45 1 -
sakana/fugu-ultra-v2 1000000 1000000 ri 5 30 0.5 - >272000 10 45 1 -
sakana/namazu 256000 256000 ri 0.95 4 0.15 -
spacexai/grok-4.3 1000000 1000000 ri 1.25 2.5 0.2 - >200000 2.5 5 0.4 -
spacexai/grok-4.3-batch 1000000 1000000 ri 1 2 0.16 - >200000 2 4 0.32 -
spacexai/grok-4.5 500000 500000 ri 2 6 0.3 - >200000 4 12 0.6 -
spacexai/grok-4.6 500000 500000 ri 2 6 0.5 - >200000 4 12 1 -
spacexai/grok-4.7 500000 500000 ri 2 6 0.5 - >200000 4 12 1 -
spacexai/grok-4.20-multi-agent 2000000 2000000 ri 1.25 2.5 0.2 - >200000 2.5 5 0.4 -
spacexai/grok-4.20-multi-agent-batch 2000000 2000000 ri 1 2 0.16 - >200000 2 4 0.32 -
spacexai/grok-4.20-multi-agent-beta 2000000 2000000 ri 1.25 2.5 0.2 - >200000 2.5 5 0.4 -
spacexai/grok-4.20-non-reasoning 2000000 2000000 i 1.25 2.5 0.2 - >200000 2.5 5 0.4 -
spacexai/grok-4.20-non-reasoning-batch 2000000 2000000 i 1 2 0.16 - >200000 2 4 0.32 -
spacexai/grok-4.20-non-reasoning-beta 2000000 2000000 i 1.25 2.5 0.2 - >200000 2.5 5 0.4 -
spacexai/grok-4.20-reasoning 2000000 2000000 ri 1.25 2.5 0.2 - >200000 2.5 5 0.4 -
spacexai/grok-4.20-reasoning-batch 2000000 2000000 ri 1 2 0.16 - >200000 2 4 0.32 -
spacexai/grok-4.20-reasoning-beta 2000000 2000000 ri 1.25 2.5 0.2 - >200000 2.5 5 0.4 -
spacexai/grok-voice-3.0 - - r
stealth/glyph-cluster 256000 256000 r
stepfun/step-3.7-flash 256000 256000 ri 0.2 1.15 0.04 -
stepfun/step-5-preview 1000000 1000000 ri 1 2.7 0.1 -
tencent/hy3 262144 262144 r 0.14 0.58 0.035 -
tencent/hy4 1024000 64000 ri 0.417 1.2505 0.021 -
tencent/hy4-flash 1024000 64000 ri 0.035 0.1405 0.0015 -
tencent/hy4-preview 1024000 64000 r 0.834 2.501 0.042 -
thinkingmachines/inkling 256000 256000 ri 1 4.05 0.17 -
thinkingmachines/inkling-2-small 1048576 262144 ri 0.3 1 0.03 -
thinkingmachines/inkling-small 1000000 1000000 ri 0.45 1.2 0.1 -
xiaomi/mimo-v2.6-flash 1048576 131072 ri 0.14 0.28 0.0028 -
xiaomi/mimo-v2.6-pro 1048576 131072 ri 0.435 0.87 0.0036 -
xiaomi/mimo-v2.6-pro-ultraspeed 1048576 131072 ri 4.35 8.7 0.036 -
zai/glm-4.5 128000 96000 r 0.6 2.2 0.11 -
zai/glm-4.5-air 128000 96000 r 0.2 1.1 0.03 -
zai/glm-4.5v 66000 16000 ri 0.6 1.8 0.11 -
zai/glm-4.6 200000 96000 r 0.6 2.2 0.11 -
zai/glm-4.7 200000 120000 r 0.6 2.2 - -
zai/glm-4.7-flash 200000 131000 r 0.07 0.4 - -
zai/glm-4.7-flashx 200000 128000 r 0.06 0.4 0.01 -
zai/glm-5 202800 131100 r 1 3.2 - -
zai/glm-5-turbo 202800 131100 r 1.2 4 0.24 -
zai/glm-5.1 202800 64000 r 1.4 4.4 0.26 -
zai/glm-5.2 1000000 128000 r 1.4 4.4 0.14 -
zai/glm-5.2-fast 1000000 128000 r 2.8 8.8 0.56 -
zai/glm-5.3 1000000 1000000 r 1.4 4.4 0.14 -
zai/glm-5.3-fast 1048576 262144 r 2.1 6.6 0.21 -
zai/glm-5.3-flash 1000000 131000 ri 0.15 0.5 0.03 -
zai/glm-5.3-flashx 1000000 131072 ri 0.37 1.25 0.075 -
zai/glm-5.3-flashx-legal 1000000 131072 ri 0.37 1.25 0.075 -
zai/glm-5v-turbo 200000 128000 ri 1.2 4 0.24 -
`
