import type { Answer, Entry, Refusal } from "./entry";
import { newKey } from "./key";
import { Sender, type SenderParts, type SenderState } from "./sender";
import type { Store } from "./store";

/** What the pages show of the outbox. A new object after every change. */
export type Snapshot = {
  /** What earlier visits left on this device has been read. */
  isReady: boolean;
  waiting: readonly Entry[];
  /** What the server has acknowledged since the page was opened. */
  stored: readonly Entry[];
  /** Answers that the server will not accept, until the expert has dismissed them. */
  refused: readonly Entry[];
  state: SenderState;
  /** Whether the last attempt failed, so that new answers will wait. */
  isTroubled: boolean;
  /** False if this device stores nothing, so that closing the page would lose waiting answers. */
  keeps: boolean;
};

/** What the same person's other tabs are told. */
type News = {
  owner: number;
  id: string;
  what: "added" | "stored" | "refused" | "again" | "dismissed";
};

export type OutboxParts = Pick<SenderParts, "send" | "whoIsThere" | "alone" | "random"> & {
  owner: number;
  open(): Promise<Store>;
  /** Tells other tabs, if the browser can. */
  channel?: Pick<BroadcastChannel, "postMessage" | "addEventListener" | "close"> | undefined;
  newId?: () => string;
  now?: () => Date;
};

type Stored = (entry: Entry, answer: unknown) => void;
type Refused = (entry: Entry) => void;

/** If the browser has not stored an answer by then, it is assumed to store none. */
const KEEPING_MS = 4_000;

/**
 * One person's answers on their way to the server: each is stored on the device, then sent, and deleted once the
 * server has acknowledged it. The page's memory has the same, so even if the device stores nothing, nothing is lost
 * while the page is open.
 */
export class Outbox {
  readonly owner: number;
  private readonly parts: OutboxParts;
  private readonly sender: Sender;
  private readonly entries = new Map<string, Entry>();
  private stored: readonly Entry[] = [];
  /** Not (yet) stored on the device. */
  private readonly unkept = new Set<string>();
  /** Being stored on the device, and not sent before that. */
  private readonly writing = new Set<string>();
  private readonly device: Promise<Store | null>;
  private isReady = false;
  private isRefusedByDevice = false;
  private listeners = new Set<() => void>();
  private storedListeners = new Set<Stored>();
  private refusedListeners = new Set<Refused>();
  private current: Snapshot;

  constructor(parts: OutboxParts) {
    this.parts = parts;
    this.owner = parts.owner;
    this.sender = new Sender({
      ...parts,
      first: async () => this.waiting().find((entry) => !this.writing.has(entry.id)),
      stored: (entry, answer) => this.wasStored(entry, answer),
      refused: (entry, error) => this.wasRefused(entry, error),
      changed: () => this.publish(),
    });
    this.current = this.take();
    this.device = inTime(parts.open()).catch(() => null);
    parts.channel?.addEventListener("message", (event: Event) =>
      this.hear((event as MessageEvent<News>).data),
    );
  }

  /** Reads what earlier visits left, and starts sending. */
  async start(): Promise<void> {
    await this.read();
    this.isReady = true;
    this.publish();
    this.sender.wake();
  }

  stop(): void {
    this.sender.stop();
    this.parts.channel?.close();
    void this.device.then((store) => store?.close());
  }

  /** Tries to send waiting answers at once. */
  wake(): void {
    this.sender.wake();
  }

  /**
   * Accepts an answer. It is in the snapshot at once; the promise resolves when it is stored as well as this device
   * can.
   * Giving the same answer while it waits (a double click, another tab) gives the same entry.
   */
  async add(answer: Answer): Promise<Entry> {
    const twin = this.waiting().find((entry) => isSame(entry, answer));
    if (twin) return twin;
    const entry: Entry = {
      ...answer,
      id: (this.parts.newId ?? newKey)(),
      owner: this.owner,
      given: (this.parts.now?.() ?? new Date()).toISOString(),
      refused: null,
    };
    this.entries.set(entry.id, entry);
    this.writing.add(entry.id);
    this.publish();
    await this.keep(entry);
    this.writing.delete(entry.id);
    this.publish();
    this.tell(entry, "added");
    this.sender.wake();
    return entry;
  }

  /** Dismisses a refused answer, after the expert has read why. */
  async dismiss(id: string): Promise<void> {
    const entry = this.entries.get(id);
    if (!entry?.refused) return;
    await this.forget(entry, "dismissed");
  }

  /** Sends a refused answer again. */
  async sendAgain(id: string): Promise<void> {
    const entry = this.entries.get(id);
    if (!entry?.refused) return;
    await this.setRefusal(entry, null);
    this.tell(entry, "again");
    this.sender.wake();
  }

  snapshot = (): Snapshot => this.current;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Called after the server has acknowledged an answer; without its response if another tab had sent it. */
  onStored(listener: Stored): () => void {
    this.storedListeners.add(listener);
    return () => this.storedListeners.delete(listener);
  }

  onRefused(listener: Refused): () => void {
    this.refusedListeners.add(listener);
    return () => this.refusedListeners.delete(listener);
  }

  private waiting(): Entry[] {
    return [...this.entries.values()].filter((entry) => !entry.refused);
  }

  private async read(): Promise<void> {
    try {
      const store = await this.device;
      if (!store) throw new Error("this device keeps nothing");
      for (const entry of await inTime(store.all(this.owner))) {
        const known = this.entries.get(entry.id);
        if (!known || known.refused?.at !== entry.refused?.at) this.entries.set(entry.id, entry);
      }
    } catch {
      this.isRefusedByDevice = true;
    }
  }

  private async keep(entry: Entry): Promise<void> {
    this.unkept.add(entry.id);
    try {
      const store = await this.device;
      if (!store) throw new Error("this device keeps nothing");
      await inTime(store.add(entry));
      this.unkept.delete(entry.id);
      this.isRefusedByDevice = false; // there is room again
    } catch {
      this.isRefusedByDevice = true;
    }
  }

  private async wasStored(entry: Entry, answer: unknown): Promise<void> {
    const forgotten = this.forget(entry, "stored");
    for (const listener of this.storedListeners) listener(entry, answer);
    await forgotten;
  }

  private async wasRefused(entry: Entry, error: unknown): Promise<void> {
    const { code, message } = error as { code?: string; message?: string };
    const at = (this.parts.now?.() ?? new Date()).toISOString();
    await this.setRefusal(entry, { code: code ?? "error", detail: message ?? String(error), at });
    this.tell(entry, "refused");
    for (const listener of this.refusedListeners) listener(entry);
  }

  private async setRefusal(entry: Entry, refused: Refusal | null): Promise<void> {
    this.entries.set(entry.id, { ...entry, refused });
    this.publish();
    await this.onDevice((store) => store.refuse(entry.id, refused));
  }

  /** The entry leaves the page at once. If the device fails to remove it, it will be sent once more later. */
  private async forget(entry: Entry, what: "stored" | "dismissed"): Promise<void> {
    this.drop(entry, what);
    await this.onDevice((store) => store.remove(entry.id));
    this.tell(entry, what);
  }

  /** In one step, so that no page ever sees an answer that is neither waiting nor stored. */
  private drop(entry: Entry, what: "stored" | "dismissed"): void {
    this.entries.delete(entry.id);
    this.unkept.delete(entry.id);
    if (what === "stored" && !this.stored.some(({ id }) => id === entry.id))
      this.stored = [...this.stored, entry];
    this.publish();
  }

  private async onDevice(change: (store: Store) => Promise<void>): Promise<void> {
    try {
      const store = await this.device;
      if (store) await inTime(change(store));
    } catch {
      this.isRefusedByDevice = true;
      this.publish();
    }
  }

  private tell(entry: Entry, what: News["what"]): void {
    this.parts.channel?.postMessage({ owner: this.owner, id: entry.id, what } satisfies News);
  }

  private hear({ owner, id, what }: News): void {
    if (owner !== this.owner) return;
    const entry = this.entries.get(id);
    if (what === "stored" || what === "dismissed") {
      if (entry) this.drop(entry, what);
      if (entry && what === "stored")
        for (const listener of this.storedListeners) listener(entry, undefined);
      return;
    }
    void this.read().then(() => {
      this.publish();
      if (entry && what === "refused")
        for (const listener of this.refusedListeners) listener(entry);
    });
  }

  private take(): Snapshot {
    const waiting = this.waiting();
    return {
      isReady: this.isReady,
      waiting,
      stored: this.stored,
      refused: [...this.entries.values()].filter((entry) => entry.refused),
      state: this.sender.state,
      isTroubled: this.sender.isTroubled,
      keeps:
        !this.isRefusedByDevice &&
        !waiting.some((entry) => this.unkept.has(entry.id) && !this.writing.has(entry.id)),
    };
  }

  private publish(): void {
    this.current = this.take();
    for (const listener of this.listeners) listener();
  }
}

/** Whether an answer says the same as an entry, regardless of how long it took and what the page looked like or had. */
function isSame(entry: Entry, answer: Answer): boolean {
  const said = ({ study, token, kind, body }: Answer) => {
    const { active_ms: _, instrument_version: __, page_language: ___, ahead: ____, ...what } = body;
    return JSON.stringify([study, token, kind, what]);
  };
  return said(entry) === said(answer);
}

function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer from this device's store")), KEEPING_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
