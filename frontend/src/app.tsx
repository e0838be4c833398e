import { lazy, Suspense } from "react";
import { BrowserRouter, Route, Routes } from "react-router";
import { Loading } from "./components/Loading";
import { NotFound } from "./components/NotFound";
import { RequireUser } from "./components/RequireUser";
import { AnnotatePage } from "./features/annotate/AnnotatePage";
import { HomePage } from "./features/home/HomePage";
import { LoginPage } from "./features/session/LoginPage";

// What experts need comes at once; what only researchers open is fetched when they open it.
const StudyPage = lazy(() => import("./features/studies/StudyPage"));
const EventsPage = lazy(() => import("./features/studies/EventsPage"));
const AnalysesPage = lazy(() => import("./features/analyses/AnalysesPage"));
const RunPage = lazy(() => import("./features/analyses/RunPage"));
const ImportsPage = lazy(() => import("./features/imports/ImportsPage"));

export function App() {
  return (
    <BrowserRouter>
      <Suspense fallback={<Loading />}>
        <Routes>
          <Route path="/login" element={<LoginPage />} />
          <Route element={<RequireUser />}>
            <Route index element={<HomePage />} />
            <Route path="/studies/:slug/annotate" element={<AnnotatePage />} />
            <Route path="/studies/:slug" element={<StudyPage />} />
            <Route path="/studies/:slug/events" element={<EventsPage />} />
            <Route path="/studies/:slug/analyses" element={<AnalysesPage />} />
            <Route path="/runs/:id" element={<RunPage />} />
            <Route path="/imports" element={<ImportsPage />} />
          </Route>
          <Route path="*" element={<NotFound />} />
        </Routes>
      </Suspense>
    </BrowserRouter>
  );
}
