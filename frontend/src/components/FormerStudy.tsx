import { Plural, Trans } from "@lingui/react/macro";
import { Link } from "react-router";
import type { FormerStudy as Former } from "~/api/types";
import { isolated } from "~/languages/bidi";
import { calendarDay } from "~/languages/formats";
import classes from "./Fold.module.css";
import { SanitisedHtml } from "./SanitisedHtml";

/** What a person reads of a study that they have left or were removed from. */
export function FormerStudy({ study }: { study: Former }) {
  const { answers, answers_left_out: areLeftOut, consent, contact, slug } = study;
  const day = calendarDay(study.ended_at);
  const agreedOn = consent && calendarDay(consent.at);
  const address = contact && (
    <a href={`mailto:${contact.email}`} dir="ltr">
      {contact.email}
    </a>
  );
  return (
    <>
      <p>
        {study.by_themselves ? (
          <Trans>You left this study on {day}.</Trans>
        ) : (
          <Trans>You were removed from this study on {day}.</Trans>
        )}{" "}
        {study.role === "expert" &&
          (answers === 0 ? (
            <Trans>No answers of yours are stored.</Trans>
          ) : areLeftOut ? (
            <Plural
              value={answers}
              one="Since then, your answer is left out of all results and published data."
              other="Since then, your # answers are left out of all results and published data."
            />
          ) : (
            <Plural value={answers} one="Your answer is kept." other="Your # answers are kept." />
          ))}
      </p>
      {consent && (
        <details className={classes.fold}>
          <summary>
            <Trans>What you agreed to on {agreedOn}</Trans>
          </summary>
          <SanitisedHtml html={consent.html} lang={undefined} dir="auto" />
        </details>
      )}
      {study.role === "expert" && answers > 0 && (
        <p>
          <Link to={`/studies/${slug}/answers`}>
            <Trans>My answers</Trans>
          </Link>
        </p>
      )}
      <p>
        {!contact ? (
          <Trans>Questions? Please reply to the message that invited you.</Trans>
        ) : contact.name ? (
          <Trans>
            Questions? Please write to {isolated(contact.name)}: {address}
          </Trans>
        ) : (
          <Trans>Questions? Please write to {address}</Trans>
        )}
      </p>
    </>
  );
}
