/** What has been entered in a step so far, and how long the step has been in use. */
export type Draft<Entered> = { entered: Entered; active_ms: number };

/** Which step of which assignment, and whose. */
export type Place = { owner: number; study: string; token: string; step: number | "correction" };

const PREFIX = "hlv:draft:";

/**
 * Drafts of steps: the chosen labels, the answer, the certainty, the time so far. Never the text.
 *
 * In localStorage, because it can be written at the very moment a page goes away; if the browser refuses
 * that, in this page's memory.
 */
export class Drafts {
  private readonly memory = new Map<string, string>();
  private readonly device: () => Storage;

  constructor(device: () => Storage = () => localStorage) {
    this.device = device;
  }

  read<Entered>(place: Place): Draft<Entered> | null {
    const name = nameOf(place);
    try {
      const text = this.memory.get(name) ?? this.device().getItem(name);
      const draft: unknown = text ? JSON.parse(text) : null;
      return isDraft(draft) ? (draft as Draft<Entered>) : null;
    } catch {
      return null;
    }
  }

  keep(place: Place, draft: Draft<unknown>): void {
    const [name, text] = [nameOf(place), JSON.stringify(draft)];
    try {
      this.device().setItem(name, text);
      this.memory.delete(name);
    } catch {
      this.memory.set(name, text);
    }
  }

  /** Forgets one person's drafts: all, those of a study, or of one assignment, but never those that are `needed`. */
  forget(whose: Pick<Place, "owner"> & Partial<Place>, needed: readonly string[] = []): void {
    const { owner, study, token, step } = whose;
    const known = [owner, study, token, step].filter((part) => part !== undefined);
    const start = `${PREFIX}${known.map(String).join("/")}`;
    for (const name of this.names()) {
      const isMeant = name === start || name.startsWith(`${start}/`);
      if (isMeant && !needed.some((one) => name.includes(`/${one}/`))) this.remove(name);
    }
  }

  private names(): string[] {
    const names = [...this.memory.keys()];
    try {
      const device = this.device();
      for (let place = 0; place < device.length; place += 1) names.push(device.key(place) ?? "");
    } catch {
      // Nothing is kept there.
    }
    return names;
  }

  private remove(name: string): void {
    this.memory.delete(name);
    try {
      this.device().removeItem(name);
    } catch {
      // Nothing is kept there.
    }
  }
}

export const drafts = new Drafts();

function nameOf({ owner, study, token, step }: Place): string {
  return `${PREFIX}${owner}/${study}/${token}/${step}`;
}

function isDraft(value: unknown): value is Draft<unknown> {
  return typeof value === "object" && value !== null && "entered" in value && "active_ms" in value;
}
