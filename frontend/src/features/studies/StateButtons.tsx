import { Button, Modal } from "@mantine/core";
import { useState } from "react";
import type { Study } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { type NextState, useTransition } from "./calls";
import classes from "./StudyPage.module.css";

const NEXT: Record<string, NextState[]> = {
  draft: ["pilot", "open"],
  pilot: ["open", "paused", "closed"],
  open: ["paused", "closed"],
  paused: ["open", "closed"],
};

const WORDS: Record<NextState, { button: string; means: string }> = {
  pilot: {
    button: "Start a pilot",
    means:
      "Experts can answer. Pilot answers are kept and marked, and analyses leave them out unless asked.",
  },
  open: { button: "Open the study for experts", means: "Experts can answer from now on." },
  paused: {
    button: "Pause",
    means: "Experts cannot answer until you open the study again. Nothing is lost.",
  },
  closed: {
    button: "Close for good",
    means: "No more answers are taken, and a closed study cannot be opened again.",
  },
};

/** The admin's buttons: each says what will follow before it happens. */
export function StateButtons({ study }: { study: Study }) {
  const [asked, setAsked] = useState<NextState | null>(null);
  const transition = useTransition(study.slug);
  const next = NEXT[study.state] ?? [];
  if (study.role !== "admin" || next.length === 0) return null;

  function go() {
    if (asked) transition.mutate(asked, { onSuccess: () => setAsked(null) });
  }

  return (
    <div className={classes.buttons}>
      {next.map((to) => (
        <Button
          key={to}
          variant="default"
          onClick={() => {
            transition.reset();
            setAsked(to);
          }}
        >
          {WORDS[to].button}
        </Button>
      ))}
      <Modal
        opened={asked !== null}
        onClose={() => setAsked(null)}
        title={asked ? WORDS[asked].button : ""}
      >
        <p>{asked && WORDS[asked].means}</p>
        {transition.isError && (
          <ErrorNotice title="The study was not changed" error={transition.error} />
        )}
        <div className={classes.buttons} data-end>
          <Button onClick={go} data-autofocus>
            {asked && WORDS[asked].button}
          </Button>
          <Button variant="default" onClick={() => setAsked(null)}>
            Leave it as it is
          </Button>
        </div>
      </Modal>
    </div>
  );
}
