import { useSyncExternalStore } from "react";

/**
 * Whether the server can be reached, judging by the last request. The browser's own `navigator.onLine`
 * is believed only if it says no: a café's network is online even if no server can be reached through it.
 */
class Connection {
  private isUp = true;
  private listeners = new Set<() => void>();

  note(isUp: boolean): void {
    if (isUp === this.isUp) return;
    this.isUp = isUp;
    for (const listener of this.listeners) listener();
  }

  isReachable = (): boolean => this.isUp;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}

export const connection = new Connection();

if (typeof window !== "undefined") {
  window.addEventListener("offline", () => connection.note(false));
}

export function useIsReachable(): boolean {
  return useSyncExternalStore(connection.subscribe, connection.isReachable);
}
