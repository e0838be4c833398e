import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useState } from "react";
import type { Task } from "~/api/types";
import { SanitisedHtml } from "~/components/SanitisedHtml";
import { SkipLink } from "~/components/SkipLink";
import { ExpertHeader } from "./ExpertFrame";
import classes from "./Welcome.module.css";

/** Whether the instructions were read on this device before the first text. */
export function useWelcome(slug: string): [boolean, () => void] {
  const name = `hlv:welcomed:${slug}`;
  const [welcomed, setWelcomed] = useState(() => remembered(name));
  return [
    welcomed,
    () => {
      setWelcomed(true);
      remember(name);
    },
  ];
}

/** Before the first text: what this is about, and how it goes. */
export function Welcome({ task, onBegin }: { task: Task; onBegin: () => void }) {
  const { study, progress } = task;
  useDocumentTitle(`Before you begin · ${study.title}`);
  return (
    <>
      <SkipLink />
      <ExpertHeader task={task} />
      <main id="main" className={classes.main} tabIndex={-1}>
        <h1>Before you begin</h1>
        <div className={classes.sheet}>
          <SanitisedHtml
            html={study.instructions_html}
            lang={study.language}
            dir={study.direction}
          />
        </div>
        <ul className={classes.facts}>
          <li>
            {progress.total === 1 ? "There is one text" : `There are ${progress.total} texts`}, each
            with two short steps.
          </li>
          <li>
            Every answer is saved at once. Stop whenever you like; you will come back to the same
            place.
          </li>
          <li>There are no right or wrong answers: your own reading is what counts.</li>
        </ul>
        <Button onClick={onBegin} autoFocus className={classes.begin}>
          Begin
        </Button>
      </main>
    </>
  );
}

function remembered(name: string): boolean {
  try {
    return localStorage.getItem(name) !== null;
  } catch {
    return false;
  }
}

function remember(name: string) {
  try {
    localStorage.setItem(name, "yes");
  } catch {
    // A browser that keeps nothing shows the instructions again: no harm done.
  }
}
