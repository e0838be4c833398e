import { useLingui } from "@lingui/react/macro";
import { useSession } from "~/api/session";
import RoleCards from "~/components/demo/RoleCards";
import { Loading } from "~/components/Loading";
import { NotFound } from "~/components/NotFound";
import { Page } from "~/components/Page";

/** The demo's roles, for people who have already stepped into one. */
export default function DemoPage() {
  const { t } = useLingui();
  const session = useSession();
  if (session.isPending) return <Loading />;
  if (!session.data?.is_demo) return <NotFound />;
  return (
    <Page title={t`The demo of HLV Study`} isOutsideTour>
      <RoleCards />
    </Page>
  );
}
