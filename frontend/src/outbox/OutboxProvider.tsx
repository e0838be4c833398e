import { useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
} from "react";
import { useIsReachable } from "~/api/connection";
import { fetchSession, useSession } from "~/api/session";
import { alone } from "./alone";
import { send } from "./kinds";
import { Outbox, type Snapshot } from "./outbox";
import { openDeviceStore } from "./store";
import { type Claim, claimFor, type TabClaim } from "./tabs";

const Context = createContext<Outbox | null>(null);

/** Events after which the connection or the expert may be back. */
const REASONS_TO_TRY = ["online", "focus", "pageshow"];

type Props = { owner: number; children: ReactNode };

/** Sends one person's answers, whichever page they are on. */
export function OutboxProvider({ owner, children }: Props) {
  const client = useQueryClient();
  const session = useSession();
  const [outbox, setOutbox] = useState<Outbox | null>(null);

  useEffect(() => {
    const made = new Outbox({
      owner,
      open: openDeviceStore,
      send,
      whoIsThere: async () => (await fetchSession(client)).user?.id ?? null,
      alone: alone(`hlv:send:${owner}`),
      channel: "BroadcastChannel" in globalThis ? new BroadcastChannel("hlv:outbox") : undefined,
    });
    setOutbox(made);
    // The list of studies shows how much of each is stored, and the list of own answers shows them.
    made.onStored(() => {
      for (const list of ["studies", "own-answers"])
        void client.invalidateQueries({ queryKey: [list] });
    });
    void made.start();
    const wake = () => {
      if (!document.hidden) made.wake();
    };
    for (const reason of REASONS_TO_TRY) window.addEventListener(reason, wake);
    document.addEventListener("visibilitychange", wake);
    const warn = (event: BeforeUnloadEvent) => {
      const { keeps, waiting } = made.snapshot();
      // Only if closing the page would lose an answer; the browser words the warning.
      if (!keeps && waiting.length > 0) event.preventDefault();
    };
    window.addEventListener("beforeunload", warn);
    return () => {
      for (const reason of REASONS_TO_TRY) window.removeEventListener(reason, wake);
      document.removeEventListener("visibilitychange", wake);
      window.removeEventListener("beforeunload", warn);
      made.stop();
    };
  }, [owner, client]);

  // Somebody is back, or the server is: waiting answers can be sent.
  const isThere = session.data?.user?.id === owner;
  const isReachable = useIsReachable();
  useEffect(() => {
    if (isThere && isReachable) outbox?.wake();
  }, [outbox, isThere, isReachable]);

  return outbox && <Context value={outbox}>{children}</Context>;
}

/** The outbox of the person this page belongs to; none on pages that need no login. */
export function useOptionalOutbox(): Outbox | null {
  return useContext(Context);
}

export function useOutbox(): Outbox {
  const outbox = useContext(Context);
  if (!outbox) throw new Error("an outbox needs somebody who is signed in");
  return outbox;
}

export function useSnapshot(): Snapshot {
  const { subscribe, snapshot } = useOutbox();
  return useSyncExternalStore(subscribe, snapshot);
}

/** Whether this tab, and no other in this browser, is doing the named work; and how to take it over. */
export function useTabClaim(name: string): [Claim, () => void] {
  const [claim, setClaim] = useState<TabClaim | null>(null);
  const [state, setState] = useState<Claim>("asking");
  useEffect(() => {
    const made = claimFor(name);
    const forget = made.subscribe(() => setState(made.state));
    setClaim(made);
    made.start();
    return () => {
      forget();
      made.stop();
      setState("asking");
    };
  }, [name]);
  return [state, () => claim?.take()];
}
