import { useParams } from "react-router";
import { Analyses } from "./Analyses";

/** The tab with a study's analyses and results. */
export default function ResultsTab() {
  const { slug = "" } = useParams();
  return <Analyses subject={{ kind: "study", slug }} />;
}
