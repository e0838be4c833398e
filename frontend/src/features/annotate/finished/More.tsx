import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import type { Task } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { useMore } from "./calls";
import classes from "./Guessing.module.css";

/** More texts than promised are offered, never slipped in. */
export function More({ task }: { task: Task }) {
  const { t } = useLingui();
  const more = useMore(task.study.slug);
  if (task.more === 0) return null;
  return (
    <section className={classes.asked} aria-labelledby="more">
      <h2 id="more">
        <Trans>There are more texts, if you like</Trans>
      </h2>
      <p>
        <Trans>You have done everything you were asked to do. Every further answer helps.</Trans>
      </p>
      {more.error && <ErrorNotice title={t`No text could be loaded`} error={more.error} />}
      <Button
        variant="default"
        loading={more.isPending}
        onClick={() => more.mutate()}
        className={classes.go}
      >
        <Plural value={task.more} one="Take one more text" other="Take # more texts" />
      </Button>
    </section>
  );
}
