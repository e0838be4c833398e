/** How many are shown at once; a search finds the others. */
export const MOST_SHOWN = 200;

export type SystemGroup = { model: string; names: string[] };

/** The model of "Model / Method / run"; a name without parts is its own. */
export function modelOf(name: string): string {
  return name.split(" / ")[0] ?? name;
}

/** Systems whose names contain all the search words, by model, in order. */
export function grouped(names: readonly string[], search: string): SystemGroup[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, string[]>();
  for (const name of names) {
    if (!words.every((word) => name.toLowerCase().includes(word))) continue;
    const model = modelOf(name);
    groups.set(model, [...(groups.get(model) ?? []), name]);
  }
  return [...groups].map(([model, found]) => ({ model, names: found }));
}

/** The first groups with at most this many systems in total; the last one may be cut. */
export function shortened(groups: SystemGroup[], most = MOST_SHOWN): SystemGroup[] {
  const shown: SystemGroup[] = [];
  let left = most;
  for (const group of groups) {
    if (left <= 0) break;
    shown.push({ ...group, names: group.names.slice(0, left) });
    left -= group.names.length;
  }
  return shown;
}

/** What is stored: nothing if all are chosen, so that systems imported later take part, too. */
export function stored(names: readonly string[], chosen: ReadonlySet<string>): string[] {
  return names.every((name) => chosen.has(name)) ? [] : names.filter((name) => chosen.has(name));
}
