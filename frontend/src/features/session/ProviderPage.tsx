import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Link, useNavigate, useSearchParams } from "react-router";
import { api, ok } from "~/api/client";
import { putInPlace } from "~/api/query";
import { useSession } from "~/api/session";
import { ErrorNotice } from "~/components/ErrorNotice";
import { Loading } from "~/components/Loading";
import { Page } from "~/components/Page";
import { inside } from "./LoginPage";

/** Where the sign-in provider sends people back to. What it sent is used once and leaves the address at once. */
export default function ProviderPage() {
  const { t } = useLingui();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [params, setParams] = useSearchParams();
  const session = useSession(); // which also sets the cookie that protects the request below
  const isSent = useRef(false);
  const { mutate, error } = useMutation({
    mutationFn: (body: { state: string; code: string }) =>
      ok(api.POST("/api/v1/session/provider/answer/", { body })),
    onSuccess: async (answered) => {
      await putInPlace(client, ["session"], answered.session);
      const next = inside(answered.next);
      const isWaiting = answered.session.second_step === "code";
      navigate(isWaiting ? `/login?next=${encodeURIComponent(next)}` : next, { replace: true });
    },
  });
  const isReady = session.data !== undefined;
  useEffect(() => {
    if (isSent.current || !isReady) return;
    isSent.current = true;
    const sent = { state: params.get("state") ?? "", code: params.get("code") ?? "" };
    setParams({}, { replace: true });
    mutate(sent);
  }, [isReady, params, setParams, mutate]);

  if (!error && !session.error) return <Loading />;
  return (
    <Page title={t`Sign in`}>
      <ErrorNotice title={t`You are not signed in`} error={error ?? session.error} />
      <p>
        <Link to="/login">
          <Trans>Go to the sign-in page</Trans>
        </Link>
      </p>
    </Page>
  );
}
