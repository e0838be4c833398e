import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useNavigate } from "react-router";
import type { Task } from "~/api/types";
import { DemoTour } from "~/components/demo/DemoTour";
import { SanitisedHtml } from "~/components/SanitisedHtml";
import { SkipLink } from "~/components/SkipLink";
import column from "../frame/Column.module.css";
import { ExpertHeader } from "../frame/ExpertFrame";
import { useWays } from "../frame/ways";
import classes from "./Welcome.module.css";

/** Ready for Enter, with the page still at its top: on a phone the button is below the instructions. */
function focusInPlace(button: HTMLButtonElement | null) {
  button?.focus({ preventScroll: true });
}

/** Before the first text: what the study is about, and how it works. */
export function Welcome({ task, onBegin }: { task: Task; onBegin: () => void }) {
  const navigate = useNavigate();
  const { practice } = useWays();
  const { t } = useLingui();
  const { study, progress } = task;
  const title = t`Before you begin`;
  useDocumentTitle(`${title} · ${study.title}`);
  return (
    <>
      <SkipLink />
      <ExpertHeader task={task} />
      <main id="main" className={column.main} tabIndex={-1}>
        <h1>{title}</h1>
        <DemoTour />
        {study.instructions_html.trim() !== "" && (
          <div className={classes.sheet}>
            <SanitisedHtml
              html={study.instructions_html}
              lang={study.language}
              dir={study.direction}
            />
          </div>
        )}
        <ul className={classes.facts}>
          <li>
            <Plural
              value={progress.total}
              one="There is one text, with two short steps."
              other="There are # texts, each with two short steps."
            />
          </li>
          <li>
            <Trans>
              Every answer is saved immediately. Stop whenever you like; you will come back to the
              same place.
            </Trans>
          </li>
          {study.repeats && (
            <li>
              <Trans>
                Some texts come twice on purpose. Answer each time as you read the text then.
              </Trans>
            </li>
          )}
          <li>
            <Trans>There are no right or wrong answers: your own reading is what counts.</Trans>
          </li>
        </ul>
        <div className={column.buttons}>
          <Button ref={focusInPlace} onClick={() => navigate(practice(study.slug))}>
            <Trans>Practise with two short texts</Trans>
          </Button>
          <Button variant="default" onClick={onBegin}>
            <Trans>Begin without practice</Trans>
          </Button>
        </div>
      </main>
    </>
  );
}
