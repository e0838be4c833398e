import { ApiError } from "~/api/errors";

type Props = { error: unknown; onRetry: () => void };

/** The answer is not stored: says so, says why, and sends the very same answer again. */
export function SaveTrouble({ error, onRetry }: Props) {
  const isLocked = error instanceof ApiError && error.status === 409;
  const why = error instanceof Error ? error.message : "Something went wrong.";
  return (
    <span role="alert">
      <strong>Not saved yet.</strong> {why}{" "}
      {isLocked ? (
        <button type="button" className="linklike" onClick={() => location.reload()}>
          Load the current state
        </button>
      ) : (
        <button type="button" className="linklike" onClick={() => onRetry()}>
          Try again
        </button>
      )}
    </span>
  );
}
