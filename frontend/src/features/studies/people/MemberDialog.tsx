import { Button, Modal } from "@mantine/core";
import type { Study } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { readable } from "~/components/words";
import classes from "./Members.module.css";
import type { MemberAct } from "./members";

type Props = {
  study: Study;
  asked: MemberAct;
  error: unknown;
  isPending: boolean;
  onGo: () => void;
  onClose: () => void;
};

/** Says what will happen before it does. */
export function MemberDialog({ study, asked, error, isPending, onGo, onClose }: Props) {
  const { title, button, words } = told(study, asked);
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ "aria-label": "Close" }}>
      {words.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {error !== null && error !== undefined && (
        <ErrorNotice title="Nothing was changed" error={error} />
      )}
      <div className={classes.buttons}>
        <Button onClick={onGo} disabled={isPending}>
          {button}
        </Button>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </Modal>
  );
}

function told(study: Study, asked: MemberAct): { title: string; button: string; words: string[] } {
  const { member } = asked;
  const isExpert = member.role === "expert";
  if (asked.what === "role")
    return {
      title: `Make ${member.name} ${asked.role === "researcher" ? "a" : "an"} ${asked.role}?`,
      button: `Make ${asked.role}`,
      words:
        asked.role === "expert"
          ? ["Nobody who could see which side is which can answer the study."]
          : [
              `${readable(asked.role)}s see which side is which, so this person cannot become an expert of this study again.`,
              ...(isExpert ? ["Texts that they have not begun are free for others."] : []),
            ],
    };
  if (asked.what === "return")
    return {
      title: `Take ${member.name} back in?`,
      button: "Take back in",
      words: [
        `They take part again as ${member.role}, under the same number.`,
        ...(member.answers_left_out ? ["Their answers count again."] : []),
      ],
    };
  return {
    title: `Take ${member.name} out of the study?`,
    button: "Take out",
    words: [
      "They cannot open the study any more. Nothing is deleted, and you can take them back in.",
      ...(isExpert
        ? [
            "Texts that they have not answered are free for others.",
            study.leaving === "left_out"
              ? "Their answers are left out of all exports and analyses, as they have agreed. Each gets a fresh place."
              : "Their answers stay in the study, as they have agreed.",
          ]
        : []),
    ],
  };
}
