import type { Assignment, LabelsTaken, Next, Saved, Taken, Task } from "~/api/types";
import type { Entry } from "~/outbox/entry";

/** What the server has handed to this page: the assignment in hand, and what came with its step 2, the one after it. */
export type Hand = { task: Task | undefined; ahead: Next | undefined };

/** What the expert sees. */
export type Screen =
  /** A step to do or, if busy, one that was answered and is being stored. */
  | { show: "step"; task: Task; assignment: Assignment; number: number; isBusy: boolean }
  /** Step 1 was answered but cannot be sent, and step 2 needs the server. */
  | { show: "held"; task: Task; assignment: Assignment; number: number }
  /** Nothing to do. `waits`: the last answers are not stored yet; `lost`: they are, but what comes next is unknown. */
  | { show: "finished"; task: Task; waits: boolean; lost: boolean }
  | { show: "fetching" };

type Situation = Hand & {
  /** This study's answers that are not stored yet. */
  waiting: readonly Entry[];
  /** This study's answers stored since the page was opened, after which the server's earlier word is out of date. */
  stored: readonly Entry[];
  /** The token of what the expert is working on; nothing takes them away from it. */
  focus: string | null;
  /** The last attempt to send failed. */
  isTroubled: boolean;
  /** The next assignment could not be fetched. */
  isLost: boolean;
};

/** Whether an answer ends the work on its assignment. */
export function isFinal({ kind, body }: Pick<Entry, "kind" | "body">): boolean {
  return kind === "preference" || (kind === "report" && body.skip === true);
}

/**
 * What to show. The server decides what there is; answers waiting on this device say what is already done. Step 2
 * is only ever shown from what the server sent, and it sends that once step 1 is stored.
 */
export function screenOf(now: Situation): Screen {
  const { task, ahead, waiting, stored, isTroubled } = now;
  if (!task) return { show: "fetching" };
  const hand = inHand(now);
  const given = [...waiting, ...stored];
  const has = (
    one: Assignment,
    which: (entry: Entry) => boolean,
    among: readonly Entry[] = given,
  ) => among.some((entry) => entry.token === one.token && which(entry));
  const isDone = (one: Assignment) => has(one, isFinal);
  const isHeld = (one: Assignment) =>
    one.step === 1 && !isDone(one) && has(one, (entry) => entry.kind === "labels");
  const isOpen = (one: Assignment) => !isDone(one) && !isHeld(one);

  const place = (one: Assignment) => task.progress.done + 1 + hand.indexOf(one);
  const step = (assignment: Assignment, isBusy = false): Screen => ({
    show: "step",
    task: assignment === ahead?.assignment ? { ...task, ...ahead } : task,
    assignment,
    number: place(assignment),
    isBusy,
  });
  const hold = (one: Assignment): Screen =>
    isTroubled ? { show: "held", task, assignment: one, number: place(one) } : step(one, true);

  const first = hand[0];
  const focused = hand.find((one) => one.token === (now.focus ?? first?.token));
  if (focused && isOpen(focused)) return step(focused);
  if (focused && isHeld(focused)) return hold(focused);
  const open = hand.find(isOpen);
  if (open) return step(open);
  const held = hand.find(isHeld);
  if (held) return hold(held);
  if (!first) return { show: "finished", task, waits: waiting.length > 0, lost: false };
  // Everything in hand is done: it is being stored, or the next one is being fetched.
  const waits = hand.some((one) => has(one, isFinal, waiting));
  if (waits && isTroubled) return { show: "finished", task, waits, lost: false };
  if (!waits && now.isLost) return { show: "finished", task, waits, lost: true };
  return step(focused ?? first, true);
}

/**
 * Whether the server has stored something since its last word: another tab sent an answer, two crossed, or what an
 * earlier visit left was stored while this one was still asking.
 */
export function isBehind(
  screen: Screen,
  { task, waiting, stored }: Pick<Situation, "task" | "waiting" | "stored">,
): boolean {
  const token = task?.assignment?.token;
  if (stored.some((entry) => entry.token === token && isFinal(entry))) return true;
  if (screen.show !== "step" || !screen.isBusy) return false;
  return !waiting.some((entry) => entry.token === screen.assignment.token);
}

function inHand({ task, ahead }: Hand): Assignment[] {
  const [one, other] = [task?.assignment, ahead?.assignment];
  if (!one) return [];
  return other && other.token !== one.token ? [one, other] : [one];
}

/** Kinds whose acknowledgement contains progress or step 2. */
const ABOUT_THE_HAND = new Set(["labels", "preference", "correction", "report"]);

/** The hand after the server acknowledged an answer; `isStale` if only the server knows what it is now. */
export function afterStored(
  { task, ahead }: Hand,
  entry: Pick<Entry, "kind" | "body" | "token">,
  answer: unknown,
): Hand & { isStale: boolean } {
  if (!task || !ABOUT_THE_HAND.has(entry.kind)) return { task, ahead, isStale: false };
  if (answer === undefined) return { task, ahead, isStale: true }; // another tab sent it
  const { progress, saved_at } = answer as Saved;
  const mine = { ...task, progress, saved_at };
  const isFirst = task.assignment?.token === entry.token;
  const isAhead = ahead?.assignment?.token === entry.token;
  if (entry.kind === "labels") {
    const { assignment, next } = answer as LabelsTaken;
    if (isAhead) return { task: mine, ahead: { ...ahead, assignment }, isStale: false };
    if (!isFirst) return { task: mine, ahead, isStale: false };
    // The study's words have changed: step 2 is shown with the new ones, which only `next/` has.
    if (isReworded(task, answer)) return { task: mine, ahead: next, isStale: true };
    return { task: { ...mine, assignment }, ahead: next, isStale: false };
  }
  if (!isFinal(entry)) return { task: mine, ahead, isStale: false };
  if (isAhead) return { task: mine, ahead: undefined, isStale: true };
  if (!isFirst) return { task: mine, ahead, isStale: false };
  // The next one is already here: no waiting, no spinner.
  if (ahead?.assignment) return { task: { ...mine, ...ahead }, ahead: undefined, isStale: false };
  const { next } = answer as Taken;
  if (!next || !isSettled(next) || isReworded(task, answer))
    return { task: mine, ahead: undefined, isStale: true };
  return { task: { ...mine, ...next }, ahead: undefined, isStale: false };
}

/** Whether a response was made under other words of the study than those that this page has. */
function isReworded({ study }: Task, answer: unknown): boolean {
  return (answer as LabelsTaken | Taken).instrument_version !== study.instrument_version;
}

/** Whether this says what comes next: an assignment, or that there is nothing more for this expert. */
function isSettled({ assignment, finished }: Next): boolean {
  // Something else may be in hand already, or become free while somebody waits for it.
  return assignment !== null || (finished !== "" && finished !== "nothing_available");
}

/** An answer as it is sent: one that ends the work on its text says which one is here already, so that none is sent. */
export function saying<A extends Pick<Entry, "kind" | "body">>(
  answer: A,
  ahead: Next | undefined,
): A {
  if (!isFinal(answer)) return answer;
  return { ...answer, body: { ...answer.body, ahead: ahead?.assignment?.token ?? null } };
}
