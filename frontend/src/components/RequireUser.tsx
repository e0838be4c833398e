import type { ReactNode } from "react";
import { Navigate, Outlet, useLocation } from "react-router";
import { usePerson, useSession } from "~/api/session";
import { useAccountLanguage } from "~/languages/LanguageProvider";
import { OutboxProvider } from "~/outbox/OutboxProvider";
import { ErrorNotice } from "./ErrorNotice";
import { Loading } from "./Loading";
import { later } from "./later";
import { OtherPerson } from "./OtherPerson";

const ProveAgain = later(() => import("./ProveAgain").then((part) => part.ProveAgain));
const SignInAgain = later(() => import("./SignInAgain").then((part) => part.SignInAgain));

/**
 * Pages behind the login: people who are not signed in are sent there, and back afterwards.
 *
 * If the session ends later, the page stays and asks for the password in place. A page that belongs to
 * one person never continues as another's. `turnOn` is for people who first have to turn on a second factor.
 */
export function RequireUser({ turnOn }: { turnOn: ReactNode }) {
  const session = useSession();
  const person = usePerson();
  useAccountLanguage(person?.language);
  const { pathname, search } = useLocation();
  if (person && session.data) {
    const now = session.data.user;
    if (now && now.id !== person.id) return <OtherPerson now={now} />;
    if (session.data.second_step === "turn_on") {
      return (
        <>
          {turnOn}
          <ProveAgain email={person.email} />
        </>
      );
    }
    return (
      <OutboxProvider owner={person.id}>
        <Outlet />
        {now ? <ProveAgain email={person.email} /> : <SignInAgain person={person} />}
      </OutboxProvider>
    );
  }
  if (session.data) {
    const next = pathname === "/" ? "" : `?next=${encodeURIComponent(pathname + search)}`;
    return <Navigate to={`/login${next}`} replace />;
  }
  if (session.error) {
    return <ErrorNotice error={session.error} onRetry={() => void session.refetch()} />;
  }
  return <Loading />;
}
