import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { Link } from "react-router";
import type { Task } from "~/api/types";
import { SkipLink } from "~/components/SkipLink";
import { ExpertHeader } from "./ExpertFrame";
import { doneOf, savedAt } from "./logic/wording";
import classes from "./Welcome.module.css";

type Words = { title: string; text: string; mayChange: boolean };

const WORDS: Record<string, Words> = {
  all_done: {
    title: "That was the last one. Thank you.",
    text: "All your answers are stored, and there is nothing more for you to do. You can close this page.",
    mayChange: false,
  },
  nothing_available: {
    title: "Nothing to do at the moment",
    text: "All the texts that you may see have enough answers for now. Should one become free, it will appear here. Everything you answered is stored.",
    mayChange: true,
  },
  paused: {
    title: "The study is paused",
    text: "The organisers have paused the study. Everything you answered is stored, and you will go on from the same place.",
    mayChange: true,
  },
  closed: {
    title: "The study is closed",
    text: "No more answers are collected. Thank you for your part; everything you answered is stored.",
    mayChange: false,
  },
};

/** No text to show: finished, paused, closed, or nothing free right now. */
export function Finished({ task, onLookAgain }: { task: Task; onLookAgain: () => void }) {
  const words = WORDS[task.finished] ?? (WORDS.nothing_available as Words);
  useDocumentTitle(`${words.title} · ${task.study.title}`);
  const saved = savedAt(task.saved_at);
  return (
    <>
      <SkipLink />
      <ExpertHeader task={task} />
      <main id="main" className={classes.main} tabIndex={-1}>
        <h1>
          <bdi>{words.title}</bdi>
        </h1>
        <p>
          <bdi>{words.text}</bdi>
        </p>
        <p className="soft">
          {doneOf(task.progress)}
          {saved && `. ${saved}.`}
        </p>
        {words.mayChange && (
          <Button variant="default" onClick={onLookAgain} className={classes.begin}>
            Look again
          </Button>
        )}
        <p>
          <Link to="/">My studies</Link>
        </p>
      </main>
    </>
  );
}
