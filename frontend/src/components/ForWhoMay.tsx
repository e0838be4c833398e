import { Outlet } from "react-router";
import { useSession } from "~/api/session";
import type { User } from "~/api/types";
import { NotFound } from "./NotFound";

type Role = "can_import" | "can_create_studies" | "is_admin";

/** Pages whose API only some people may use: for everyone else the page does not exist. */
export function ForWhoMay({ do: role }: { do: Role }) {
  const user: User | null | undefined = useSession().data?.user;
  return user?.[role] ? <Outlet /> : <NotFound />;
}
