import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useEffect, useState } from "react";
import { Link, useNavigate } from "react-router";
import { ApiError } from "~/api/errors";
import { useSession } from "~/api/session";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { useLanguageOf } from "~/languages/LanguageProvider";
import { AcceptForm } from "./AcceptForm";
import { useInvited, useMakeRoom } from "./calls";
import { forgetToken, takeToken } from "./token";

/** Where a link leads: what it is for, consent, a password, and on to the study. */
export default function InvitationPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const [token, setToken] = useState(takeToken);
  const session = useSession();
  const invited = useInvited(token);
  const spoken = useLanguageOf(invited.data?.language, invited.data?.direction);

  useEffect(() => {
    // Opening another link in this tab changes only the part after the #.
    const take = () => setToken(takeToken());
    window.addEventListener("hashchange", take);
    return () => window.removeEventListener("hashchange", take);
  }, []);

  if (token === "") {
    return (
      <Page title={t`Your invitation`}>
        <p>
          <Trans>Please open the link from your message once more.</Trans>
        </p>
        <ToSignIn />
      </Page>
    );
  }
  if (invited.error) {
    return <NoWay error={invited.error} onRetry={() => void invited.refetch()} />;
  }
  if (!invited.data || !session.data || !spoken) return <Loading />;

  const { email } = invited.data;
  const other = session.data.user;
  if (other && other.email.toLowerCase() !== email) {
    return <SomebodyElse title={t`Your invitation`} them={other.email} you={email} />;
  }
  return (
    <AcceptForm
      key={token}
      token={token}
      invited={invited.data}
      isSignedIn={other !== null}
      onChanged={() => void invited.refetch()}
      onArrived={({ slug, role }) => {
        forgetToken();
        const study = role === "expert" ? `/studies/${slug}/annotate` : `/studies/${slug}`;
        navigate(slug === "" ? "/" : study, { replace: true });
      }}
    />
  );
}

/** A link that was used, has expired, was revoked, or never existed. */
function NoWay({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const { t } = useLingui();
  const code = error instanceof ApiError ? error.code : "";
  const isTransient = error instanceof ApiError && error.isTransient;
  const titles: Record<string, string> = {
    link_used: t`This link has been used`,
    link_expired: t`This link has expired`,
    link_revoked: t`This link is no longer valid`,
  };
  return (
    <Page title={titles[code] ?? t`Your invitation`}>
      {titles[code] ? (
        <p role="alert">{error.message}</p>
      ) : (
        <ErrorNotice
          title={t`This link cannot be opened`}
          error={error}
          onRetry={isTransient ? onRetry : undefined}
        />
      )}
      {!isTransient && <ToSignIn />}
    </Page>
  );
}

function ToSignIn() {
  return (
    <p>
      <Link to="/">
        <Trans>Go to my studies</Trans>
      </Link>
    </p>
  );
}

type SomebodyElseProps = { title: string; them: string; you: string };

/** Somebody else is signed in on this device; nothing is done in their name. */
function SomebodyElse({ title, them, you }: SomebodyElseProps) {
  const { t } = useLingui();
  const room = useMakeRoom();
  return (
    <Page title={title}>
      <p>
        <Trans>
          You are signed in as <bdi>{them}</bdi>, and this link is for <bdi>{you}</bdi>.
        </Trans>
      </p>
      {room.error && <ErrorNotice title={t`You are still signed in`} error={room.error} />}
      <p>
        <Button onClick={() => room.mutate()}>
          <Trans>Sign out and continue with this link</Trans>
        </Button>
      </p>
      <ToSignIn />
    </Page>
  );
}
