import { useParams } from "react-router";
import { Analyses } from "./Analyses";

/** The analyses of a study, and what came out: a tab of its workspace. */
export default function ResultsTab() {
  const { slug = "" } = useParams();
  return <Analyses subject={{ kind: "study", slug }} />;
}
