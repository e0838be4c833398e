import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { Link } from "react-router";
import type { Task } from "~/api/types";
import { SkipLink } from "~/components/SkipLink";
import { ExpertHeader } from "./ExpertFrame";
import { doneOf, savedAt } from "./logic/wording";
import classes from "./Welcome.module.css";

type Words = { title: string; text: string; again?: string };

const WORDS: Record<Task["finished"], Words> = {
  "": {
    title: "Your answer is saved",
    text: "The next text could not be fetched. Please check your connection and try again.",
    again: "Try again",
  },
  all_done: {
    title: "That was the last one. Thank you.",
    text: "All your answers are stored, and there is nothing more for you to do. You can close this page.",
  },
  nothing_available: {
    title: "Nothing to do at the moment",
    text: "All the texts that you may see have enough answers for now. Should one become free, it will appear here. Everything you answered is stored.",
    again: "Look again",
  },
  paused: {
    title: "The study is paused",
    text: "The organisers have paused the study. Everything you answered is stored, and you will go on from the same place.",
    again: "Look again",
  },
  closed: {
    title: "The study is closed",
    text: "No more answers are collected. Thank you for your part; everything you answered is stored.",
  },
};

/** No text to show: finished, paused, closed, nothing free right now, or the line is cut. */
export function Finished({ task, onLookAgain }: { task: Task; onLookAgain: () => void }) {
  const words = WORDS[task.finished];
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
        {words.again && (
          <Button variant="default" onClick={onLookAgain} className={classes.begin}>
            {words.again}
          </Button>
        )}
        <p>
          <Link to="/">My studies</Link>
        </p>
      </main>
    </>
  );
}
