import { type ComponentType, lazy, type ReactNode, Suspense, useState } from "react";
import { fetchLaterWords } from "~/languages/catalogues";

const TRY_AGAIN_MS = 2_000;

const notAskedFor = new Set<() => Promise<unknown>>();

/**
 * A part of a page that can be read without it. It is fetched when it is rendered or, with all others, by `fetchLater`,
 * so that it is there when somebody wants it, even if the network is not.
 */
export function later<Props extends object>(
  fetchPart: () => Promise<ComponentType<Props>>,
  meanwhile: ReactNode = null,
): ComponentType<Props> {
  let fetched: ComponentType<Props> | undefined;
  const ask = async () => {
    notAskedFor.delete(ask);
    const [part] = await persistently(() => Promise.all([fetchPart(), fetchLaterWords()]));
    fetched = part;
    return { default: part };
  };
  notAskedFor.add(ask);
  const Lazy = lazy(ask) as unknown as ComponentType<Props>;
  // biome-ignore lint/correctness/noComponentHookFactories: made once for each part, as `lazy` is
  return function Later(props: Props) {
    // What was fetched before is rendered at once, without a moment of something else.
    const [Part] = useState(() => fetched ?? Lazy);
    return (
      <Suspense fallback={meanwhile}>
        <Part {...props} />
      </Suspense>
    );
  };
}

/** Fetches all such parts: now the network is free. */
export function fetchLater(): void {
  for (const ask of notAskedFor) void ask();
}

async function persistently<T>(fetchPart: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await fetchPart();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
    }
  }
}
