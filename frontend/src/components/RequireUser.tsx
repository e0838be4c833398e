import { Navigate, Outlet, useLocation } from "react-router";
import { useSession } from "~/api/session";
import { ErrorNotice } from "./ErrorNotice";
import { Loading } from "./Loading";

/** Pages behind the login: whoever is not signed in is led there, and back afterwards. */
export function RequireUser() {
  const session = useSession();
  const { pathname, search } = useLocation();
  if (session.data) {
    if (session.data.user) return <Outlet />;
    const next = pathname === "/" ? "" : `?next=${encodeURIComponent(pathname + search)}`;
    return <Navigate to={`/login${next}`} replace />;
  }
  if (session.error) {
    return <ErrorNotice error={session.error} onRetry={() => void session.refetch()} />;
  }
  return <Loading />;
}
