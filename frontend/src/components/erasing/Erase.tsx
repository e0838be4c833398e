import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Modal, Radio, TextInput } from "@mantine/core";
import { useState } from "react";
import { useSession } from "~/api/session";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { isolated } from "~/languages/bidi";
import { type Target, useErase, useErasure, usePreview } from "./calls";
import classes from "./Erase.module.css";

type Props = {
  target: Target;
  /** Whom or what, for the button's name where there are several. */
  name: string;
  /** Where to go when it is gone. */
  onGone?: () => void;
  /** In a row of links rather than of buttons. */
  isLink?: boolean;
};

/** For admins of the server: a button that erases, after it has said what goes and the name was typed. */
export function Erase({ target, name, onGone, isLink }: Props) {
  const { t } = useLingui();
  const [opened, setOpened] = useState(false);
  if (!useSession().data?.user?.is_admin) return null;
  const whom = isolated(name);
  const asks = { onClick: () => setOpened(true), "aria-label": t`Erase ${whom}…` };
  return (
    <>
      {isLink ? (
        <button type="button" className="linklike small" {...asks}>
          <Trans>Erase…</Trans>
        </button>
      ) : (
        <Button variant="default" className={classes.button} {...asks}>
          <Trans>Erase…</Trans>
        </Button>
      )}
      <Modal
        opened={opened}
        onClose={() => setOpened(false)}
        title={t`Erase ${whom}`}
        closeButtonProps={{ "aria-label": t`Close` }}
      >
        {opened && <Asking target={target} onGone={onGone} onClose={() => setOpened(false)} />}
      </Modal>
    </>
  );
}

type AskingProps = { target: Target; onGone: (() => void) | undefined; onClose: () => void };

function Asking({ target, onGone, onClose }: AskingProps) {
  const { t } = useLingui();
  const mayChoose = target.what === "person" || target.what === "text";
  const [withAnswers, setWithAnswers] = useState(false);
  const [typed, setTyped] = useState("");
  const [reason, setReason] = useState("");
  const erase = useErase();
  const preview = usePreview(target, withAnswers, erase.data === undefined);
  const erasure = useErasure(erase.data?.id);
  if (erase.data) return <Going erasure={erasure.data} onClose={onGone ?? onClose} />;
  const isKnown = preview.data?.name ?? "";
  const shown = isolated(isKnown);
  return (
    <div className={classes.asking}>
      <p>
        <Trans>Erasing cannot be undone.</Trans>
      </p>
      {mayChoose && (
        <Radio.Group
          label={target.what === "person" ? t`Their answers` : t`Answers about this text`}
          value={withAnswers ? "go" : "stay"}
          onChange={(value) => setWithAnswers(value === "go")}
        >
          <div className={classes.choices}>
            <Radio value="stay" label={t`Stay, without a name`} />
            <Radio value="go" label={t`Are erased too`} />
          </div>
        </Radio.Group>
      )}
      {preview.error && <ErrorNotice title={t`This cannot be erased`} error={preview.error} />}
      {preview.isFetching && <Loading />}
      {preview.data && (
        <>
          <Listed title={t`What goes`} lines={preview.data.goes} />
          <Listed title={t`What stays`} lines={preview.data.stays} />
          <p>{preview.data.backups}</p>
          <TextInput
            label={t`Reason, without names`}
            description={t`It is kept with the entry in the history.`}
            value={reason}
            maxLength={300}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <TextInput
            label={t`To erase, type ${shown}`}
            value={typed}
            autoComplete="off"
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          {erase.error && <ErrorNotice title={t`Nothing was erased`} error={erase.error} />}
        </>
      )}
      <div className={classes.buttons}>
        <Button
          disabled={!isKnown || typed.trim() !== isKnown || erase.isPending}
          onClick={() => erase.mutate({ ...target, with_answers: withAnswers, typed, reason })}
        >
          <Trans>Erase permanently</Trans>
        </Button>
        <Button variant="default" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
      </div>
    </div>
  );
}

type Erasure = NonNullable<ReturnType<typeof useErasure>["data"]>;

function Going({ erasure, onClose }: { erasure: Erasure | undefined; onClose: () => void }) {
  const { t } = useLingui();
  if (!erasure?.finished_at) {
    return (
      <div role="status">
        <Loading />
        <p>
          <Trans>It is being erased. You can close this page; it goes on by itself.</Trans>
        </p>
      </div>
    );
  }
  return (
    <div role="status" className={classes.asking}>
      {erasure.error && <ErrorNotice title={t`It is not finished`} error={erasure.error} />}
      {erasure.erased_at && <Listed title={t`Erased`} lines={erasure.sentences} />}
      <p>{erasure.backups}</p>
      <Button onClick={onClose}>
        <Trans>Close</Trans>
      </Button>
    </div>
  );
}

function Listed({ title, lines }: { title: string; lines: string[] }) {
  if (lines.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul className={classes.lines}>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  );
}
