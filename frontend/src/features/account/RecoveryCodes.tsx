import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import classes from "./Account.module.css";

/** New recovery codes, which are shown only once. */
export function RecoveryCodes({ codes, onKept }: { codes: string[]; onKept: () => void }) {
  return (
    <>
      <p>
        <Trans>
          Keep these recovery codes where you will find them without your device. Each works once.
          They are shown only now.
        </Trans>
      </p>
      <ul className={classes.codes} dir="ltr">
        {codes.map((one) => (
          <li key={one}>
            <code>{one}</code>
          </li>
        ))}
      </ul>
      <div>
        <Button onClick={onKept}>
          <Trans>I have saved them</Trans>
        </Button>
      </div>
    </>
  );
}
