import { Trans } from "@lingui/react/macro";
import { Note } from "~/components/Note";
import classes from "./Trainings.module.css";

/** What to do where no worker takes trainings: those that are there wait. */
export function NoWorker({ isWaiting = false }: { isWaiting?: boolean }) {
  return (
    <Note>
      <div className={classes.note}>
        <p>
          {isWaiting ? (
            <Trans>
              No worker takes trainings at the moment, so this has to wait. It goes on by itself
              once such a worker runs. Nothing is lost.
            </Trans>
          ) : (
            <Trans>
              No worker takes trainings at the moment. You can prepare one anyway; it is checked and
              measured once such a worker runs.
            </Trans>
          )}
        </p>
        <p>
          <Trans>
            To start one, on this server or on a machine with a GPU that reaches its database:{" "}
            <code dir="ltr">pip install hlvstudy[training]</code>, then{" "}
            <code dir="ltr">hlvstudy worker -Q training</code>.
          </Trans>
        </p>
      </div>
    </Note>
  );
}
