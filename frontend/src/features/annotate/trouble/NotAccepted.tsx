import { Plural, Trans } from "@lingui/react/macro";
import notice from "~/components/Notice.module.css";
import { wordsDirection } from "~/languages/bidi";
import { useOutbox, useSnapshot } from "~/outbox/OutboxProvider";
import classes from "./Banners.module.css";

/** Answers that the server will not accept, each with its reason, until the expert has dismissed them. */
export function NotAccepted() {
  const outbox = useOutbox();
  const { refused } = useSnapshot();
  const count = refused.length;
  if (count === 0) return null;
  return (
    <section className={`${notice.notice} ${notice.alarm}`} role="alert">
      <div>
        <strong>
          <Plural
            value={count}
            one="One answer was not accepted and is not saved."
            other="# answers were not accepted and are not saved."
          />
        </strong>
        <ul className={classes.refused}>
          {refused.map((entry) => (
            <li key={entry.id}>
              <p>
                <bdi>{entry.about}</bdi>
              </p>
              <p>
                <bdi dir={wordsDirection()}>{entry.refused?.detail}</bdi>
              </p>
              <div className={classes.buttons}>
                <button
                  type="button"
                  className="linklike"
                  onClick={() => void outbox.dismiss(entry.id)}
                >
                  <Trans>I have read this</Trans>
                </button>
                <button
                  type="button"
                  className="linklike"
                  onClick={() => void outbox.sendAgain(entry.id)}
                >
                  <Trans>Send it again</Trans>
                </button>
              </div>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
