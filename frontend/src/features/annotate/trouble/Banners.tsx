import { Trans } from "@lingui/react/macro";
import { useIsReachable } from "~/api/connection";
import { Note } from "~/components/Note";
import { wordsDirection } from "~/languages/bidi";
import { useSnapshot } from "~/outbox/OutboxProvider";
import classes from "./Banners.module.css";
import { NotAccepted } from "./NotAccepted";

/** What the expert should know about their answers, shown above the text; nothing while all is well. */
export function Banners() {
  const { waiting, refused, isTroubled, keeps, state } = useSnapshot();
  const isReachable = useIsReachable();
  const isCut = (isTroubled && (state === "waiting" || state === "sending")) || !isReachable;
  if (!isCut && keeps && refused.length === 0) return null;
  return (
    <div className={classes.banners}>
      {isCut && (
        <Note live>
          <bdi dir={wordsDirection()}>
            {keeps ? (
              <Trans>
                <strong>The server cannot be reached.</strong> Just continue: your answers stay on
                this device and will be sent as soon as the connection is back.
              </Trans>
            ) : (
              <Trans>
                <strong>The server cannot be reached.</strong> Your answers will be sent as soon as
                the connection is back.
              </Trans>
            )}
          </bdi>
        </Note>
      )}
      {!keeps && (
        <Note live>
          <bdi dir={wordsDirection()}>
            {waiting.length > 0 ? (
              <Trans>
                <strong>Please keep this page open until everything is saved.</strong> This browser
                cannot hold answers on this device.
              </Trans>
            ) : (
              <Trans>
                This browser cannot hold answers on this device. After each answer, please leave the
                page open until it says “Saved”.
              </Trans>
            )}
          </bdi>
        </Note>
      )}
      <NotAccepted />
    </div>
  );
}
