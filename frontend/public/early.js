// Asks for what the page needs first, while the page's own script is still on its way: who is signed in, and on an
// expert's page the text. src/api/early.ts hands the answers over. A file of its own, for the policy of these pages
// allows no script inside them; small, and plain, for it is served as it stands.
(() => {
  const found = /^\/studies\/([\w-]+)\/annotate\/?$/.exec(location.pathname);
  const token = /(?:^|; )csrftoken=([^;]*)/.exec(document.cookie);
  const early = new Map();
  const ask = (method, address, headers) => {
    const answer = fetch(address, { method, headers, credentials: "same-origin", cache: "no-store" });
    // Nobody may be there to hear of a failure: whoever needs the answer asks again.
    early.set(`${method} ${address}`, answer.catch(() => null));
  };
  ask("GET", "/api/v1/session/", {});
  if (found && token) {
    ask("POST", `/api/v1/studies/${found[1]}/next/`, { "X-CSRFToken": decodeURIComponent(token[1]) });
  }
  window.early = early;
})();
