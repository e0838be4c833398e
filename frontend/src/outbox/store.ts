import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { Entry, Refusal } from "./entry";

/** Where answers outlive the page. Every promise resolves only once the change is made, and may reject. */
export interface Store {
  /** Adds the entry after the others. Adding the same key again changes nothing. */
  add(entry: Entry): Promise<void>;
  /** One person's entries in the order in which they were given, refused ones included. */
  all(owner: number): Promise<Entry[]>;
  remove(id: string): Promise<void>;
  /** Sets an entry aside with a reason or, with `null`, puts it back among those waiting. */
  refuse(id: string, refusal: Refusal | null): Promise<void>;
  close(): void;
}

interface Schema extends DBSchema {
  answers: { key: number; value: Entry; indexes: { id: string; owner: number } };
}

/** Opens the store in IndexedDB. Rejects if the browser refuses (private mode, a full disk). */
export async function openDeviceStore(name = "hlv-study"): Promise<Store> {
  const database = await openDB<Schema>(name, 1, {
    upgrade(db) {
      // The key counts up, so that the store itself knows the order.
      const answers = db.createObjectStore("answers", { autoIncrement: true });
      answers.createIndex("id", "id", { unique: true });
      answers.createIndex("owner", "owner");
    },
    // A newer version of these pages in another tab must not have to wait for this one.
    blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
  });
  return new DeviceStore(database);
}

class DeviceStore implements Store {
  private readonly database: IDBPDatabase<Schema>;

  constructor(database: IDBPDatabase<Schema>) {
    this.database = database;
  }

  async add(entry: Entry): Promise<void> {
    // Strict: on the disk before it is sent, not only in the system's memory.
    const change = this.database.transaction("answers", "readwrite", { durability: "strict" });
    const known = await change.store.index("id").getKey(entry.id);
    if (known === undefined) await change.store.add(entry);
    await change.done;
  }

  all(owner: number): Promise<Entry[]> {
    return this.database.getAllFromIndex("answers", "owner", owner);
  }

  async remove(id: string): Promise<void> {
    const change = this.database.transaction("answers", "readwrite");
    const key = await change.store.index("id").getKey(id);
    if (key !== undefined) await change.store.delete(key);
    await change.done;
  }

  async refuse(id: string, refused: Refusal | null): Promise<void> {
    const change = this.database.transaction("answers", "readwrite");
    const cursor = await change.store.index("id").openCursor(id);
    if (cursor) await cursor.update({ ...cursor.value, refused });
    await change.done;
  }

  close(): void {
    this.database.close();
  }
}
