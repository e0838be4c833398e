import { useState } from "react";
import { useLocation } from "react-router";
import { usePractised } from "../desk/calls";

/** Whether this page is past the welcome, and how to pass it. The server remembers it for all other pages. */
export function useWelcomed(slug: string) {
  const practised = usePractised(slug);
  const { state } = useLocation();
  const [passed, setPassed] = useState(false);
  return {
    welcomed: passed || (state as { practised?: boolean } | null)?.practised === true,
    welcome: () => {
      setPassed(true);
      practised.mutate();
    },
  };
}
