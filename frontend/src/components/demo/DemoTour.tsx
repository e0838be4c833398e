import { Suspense } from "react";
import { useSession } from "~/api/session";
import { forResearchers } from "~/languages/researchers";

// Only a demo needs it, so nobody else has to load it or its messages.
const Tour = forResearchers(() => import("./Tour"));

/** In the demo, what to look at in this role; nothing elsewhere. */
export function DemoTour() {
  const session = useSession().data;
  if (!session?.is_demo || !session.user) return null;
  return (
    <Suspense fallback={null}>
      <Tour mayRunServer={session.user.is_admin} />
    </Suspense>
  );
}
