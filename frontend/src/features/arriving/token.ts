/** Until the link is used, a reload must not lose it: kept for this tab only, and gone with it. */
const KEPT = "hlv:link";

/**
 * The token of the link, taken out of the address bar at once. It stands behind the `#`, which browsers send to no
 * server; kept there it would still be seen by whoever looks at the screen, and stay in the history.
 */
export function takeToken(): string {
  const found = location.hash.slice(1);
  if (found === "") return read();
  keep(found);
  // The state stays: the router keeps its own there.
  history.replaceState(history.state, "", location.pathname + location.search);
  return found;
}

export function forgetToken(): void {
  keep("");
}

function read(): string {
  try {
    return sessionStorage.getItem(KEPT) ?? "";
  } catch {
    return "";
  }
}

function keep(token: string) {
  try {
    if (token === "") sessionStorage.removeItem(KEPT);
    else sessionStorage.setItem(KEPT, token);
  } catch {
    // A browser that keeps nothing asks for the link again after a reload.
  }
}
