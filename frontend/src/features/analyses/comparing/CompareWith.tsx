import { Button, Modal } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import type { Run } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { moment } from "~/components/words";
import { useRunsOf } from "../calls";
import { plannedInWords } from "../result";
import { addressOfComparison, subjectOf } from "../subject";
import classes from "./Comparing.module.css";

/** Choose another finished run that answers the same question about the same thing. */
export function CompareWith({ run }: { run: Run }) {
  const [opened, setOpened] = useState(false);
  const runs = useRunsOf(subjectOf(run), run.analysis, opened);
  const others = runs.data?.filter(({ id }) => id !== run.id) ?? [];
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        Compare
      </Button>
      <Modal
        opened={opened}
        onClose={() => setOpened(false)}
        title="Compare with another run"
        closeButtonProps={{ "aria-label": "Close" }}
      >
        {runs.error && (
          <ErrorNotice
            title="The runs cannot be listed"
            error={runs.error}
            onRetry={() => void runs.refetch()}
          />
        )}
        {runs.isPending && <Loading />}
        {runs.data && others.length === 0 && (
          <p>
            There is no other finished run of this question. Ask it again, with other settings or on
            data that have changed, and compare then.
          </p>
        )}
        <ul className={classes.choices}>
          {others.map((other) => (
            <li key={other.id}>
              <Link to={addressOfComparison(other, run)}>
                {other.number ? `Result ${other.number}, ` : ""}
                {moment(other.finished_at)}
              </Link>{" "}
              <span className="soft small">
                {[plannedInWords(other.is_planned).toLowerCase(), `seed ${other.seed}`]
                  .filter(Boolean)
                  .join(", ")}
              </span>
            </li>
          ))}
        </ul>
      </Modal>
    </>
  );
}
