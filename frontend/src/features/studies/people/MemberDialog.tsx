import { t as say } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Modal } from "@mantine/core";
import type { Study } from "~/api/types";
import { ErrorNotice } from "~/components/ErrorNotice";
import { isolated } from "~/languages/bidi";
import classes from "./Members.module.css";
import type { MemberAct, Role } from "./members";

type Props = {
  study: Study;
  asked: MemberAct;
  error: unknown;
  isPending: boolean;
  onGo: () => void;
  onClose: () => void;
};

/** Says what will happen, before it does. */
export function MemberDialog({ study, asked, error, isPending, onGo, onClose }: Props) {
  const { t } = useLingui();
  const { title, button, words } = told(study, asked);
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ "aria-label": t`Close` }}>
      {words.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {error !== null && error !== undefined && (
        <ErrorNotice title={t`Nothing was changed`} error={error} />
      )}
      <div className={classes.buttons}>
        <Button onClick={onGo} disabled={isPending}>
          {button}
        </Button>
        <Button variant="default" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
      </div>
    </Modal>
  );
}

type Told = { title: string; button: string; words: string[] };

function told(study: Study, asked: MemberAct): Told {
  const { member } = asked;
  const name = isolated(member.name);
  const isExpert = member.role === "expert";
  if (asked.what === "role") return toldOfRole(asked.role, name, isExpert);
  if (asked.what === "return")
    return {
      title: say`Ask ${name} back to the study?`,
      button: say`Ask back`,
      words: [
        say`Once they accept, they take part again, in the same role and under the same number.`,
        ...(member.answers_left_out ? [say`Their answers then count again.`] : []),
      ],
    };
  if (member.is_pending)
    return {
      title: say`Take back the request to ${name}?`,
      button: say`Take back`,
      words: [say`This person has not accepted yet, and then no longer can.`],
    };
  return {
    title: say`Remove ${name} from the study?`,
    button: say`Remove`,
    words: [
      say`This person can no longer open the study. Nothing is deleted, and you can add them back.`,
      ...(isExpert
        ? [
            say`Texts that they have not answered become available to others.`,
            study.leaving === "left_out"
              ? say`Their answers are left out of all exports and analyses, as agreed in the consent. Other experts will be asked instead.`
              : say`Their answers are kept, as agreed in the consent.`,
          ]
        : []),
    ],
  };
}

function toldOfRole(role: Role, name: string, wasExpert: boolean): Told {
  if (role === "expert") {
    return {
      title: say`Make ${name} an expert?`,
      button: say`Make expert`,
      words: [say`People who were able to see which side is which cannot answer the study.`],
    };
  }
  const isResearcher = role === "researcher";
  return {
    title: isResearcher ? say`Make ${name} a researcher?` : say`Make ${name} an admin?`,
    button: isResearcher ? say`Make researcher` : say`Make admin`,
    words: [
      isResearcher
        ? say`Researchers see which side is which, so this person can never be an expert in this study again.`
        : say`Admins see which side is which, so this person can never be an expert in this study again.`,
      ...(wasExpert ? [say`Texts that they have not started become available to others.`] : []),
    ],
  };
}
