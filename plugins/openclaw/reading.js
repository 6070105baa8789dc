/** The host's own model reads what is new in the logs: the daemon gives prompts and judges the answers, the model has no tools. */

const LONG = 600_000; // milliseconds for a consolidation
const ANSWER = 120_000; // milliseconds for one answer
const NIGHT = 1_500_000; // milliseconds in which the model is asked; what is left then is read by rules
const FAILURES = 2; // in a row, after which it is asked no more

/** Asks the host's model about one segment; undefined where the settings or the host do not allow that. */
export function modelOf(api, settings) {
  if (!settings.readWithModel || typeof api.runtime?.llm?.complete !== "function") return undefined;
  return async ({ system, prompt, schema }) => {
    const { text } = await api.runtime.llm.complete({
      systemPrompt: `${system}\n\nAnswer with one JSON object of this JSON schema, and nothing else:\n${JSON.stringify(schema)}`,
      messages: [{ role: "user", content: prompt }],
      purpose: "memoryclaw.consolidate",
      execution: { mode: "isolated-agent-runtime", timeoutMs: ANSWER }, // a fresh context without tools
    });
    return text;
  };
}

/** Consolidates, with the model's answers where there is one. `due`: only what is due, and nothing while the model does not answer. */
export async function consolidated({ daemon, model, logger }, { due = false } = {}) {
  const run = (body) => daemon.ask("POST", "/v1/consolidate", body, { timeoutMs: LONG });
  if (!model) return run({ due });
  const { segments } = await run({ ask: true, due });
  if (!segments.length) return run({ due });
  const { answers, failure } = await answered(model, segments);
  if (failure) logger.warn(`memoryclaw: the model read ${answers.length} of ${segments.length} parts of the logs (${failure})`);
  if (due && !answers.length) throw new Error("the model gave no answer, so the logs wait");
  return run(answers.length ? { answers } : {});
}

async function answered(model, segments) {
  const answers = [];
  const end = Date.now() + NIGHT;
  let failure = "";
  let failures = 0;
  for (const segment of segments) {
    if (failures === FAILURES || Date.now() > end) break;
    try {
      answers.push({ segment: segment.segment, answer: await model(segment) });
      failures = 0;
    } catch (error) {
      failure = String(error?.code ?? error?.name ?? "Error"); // its words may quote the prompt
      failures += 1;
    }
  }
  return { answers, failure };
}
