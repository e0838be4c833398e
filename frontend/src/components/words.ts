// The server's short codes in the words of the pages.

const STATES: Record<string, string> = {
  draft: "Draft",
  pilot: "Pilot",
  open: "Open",
  paused: "Paused",
  closed: "Closed",
  queued: "Waiting",
  running: "Running",
  succeeded: "Finished",
  failed: "Failed",
  cancelled: "Cancelled",
};

export function stateInWords(state: string): string {
  return STATES[state] ?? state;
}

/** "circumstances_known" -> "Circumstances known": for codes that have no words of their own. */
export function readable(code: string): string {
  const spaced = code.replaceAll("_", " ").replaceAll("-", " ").trim();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

export function moment(iso: string | null | undefined): string {
  if (!iso) return "";
  const then = new Date(iso);
  return Number.isNaN(then.getTime())
    ? iso
    : then.toLocaleString("en-GB", {
        day: "numeric",
        month: "short",
        year: "numeric",
        hour: "2-digit",
        minute: "2-digit",
      });
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-GB")} ${count === 1 ? one : many}`;
}
