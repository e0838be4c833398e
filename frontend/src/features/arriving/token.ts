/** Until the link is used, a reload must not lose it, so it is kept for this tab only. */
const KEPT = "hlv:link";

/**
 * The link's token, removed from the address bar at once. It comes after the `#`, which browsers never send to a
 * server; but there it would be visible to anyone looking at the screen, and stay in the history.
 */
export function takeToken(): string {
  const found = location.hash.slice(1);
  if (found === "") return read();
  keep(found);
  // The state is kept, because the router stores its own there.
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
    // If the browser stores nothing, the link is needed again after a reload.
  }
}
