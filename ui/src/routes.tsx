import { lazy, Suspense, useEffect, type ReactNode } from 'react';
import { Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { basePath } from './api/base.js';
import { resumeActing } from './api/persona.js';
import { sessionStore, switchTeam } from './api/session.js';
import { useStore } from './kit/store.js';
import { ArchivesPage } from './chat/archives-page.js';
import { ChatPage } from './chat/chat-page.js';
import { SearchPage } from './chat/search-page.js';
import { Skeleton } from './kit/misc.js';
import { Toasts } from './kit/toasts.js';
import { FaultBoundary } from './shell/fault-boundary.js';
import { Overlays } from './shell/overlays.js';
import { Shell } from './shell/shell.js';
import { SignInPage } from './sign-in/sign-in-page.js';

/** Sections whose code is loaded when they are opened. */
const load = {
  inspect: () => import('./inspect/inspect-page.js').then(({ InspectPage }) => ({ default: InspectPage })),
  apps: () => import('./apps/apps-page.js').then(({ AppsPage }) => ({ default: AppsPage })),
  settings: () => import('./settings/settings-page.js').then(({ SettingsPage }) => ({ default: SettingsPage })),
  tracker: () => import('./tracker/tracker-page.js').then(({ TrackerPage }) => ({ default: TrackerPage })),
  sandboxes: () => import('./sandboxes/sandboxes-page.js').then(({ SandboxesPage }) => ({ default: SandboxesPage })),
};
const Inspect = lazy(load.inspect);
const Apps = lazy(load.apps);
const Settings = lazy(load.settings);
const Tracker = lazy(load.tracker);
const Sandboxes = lazy(load.sandboxes);

/** What stands behind the workspace in the addresses of sections. */
const VIEWS = {
  inspect: ['inspect', 'deliveries', 'changes', 'faults', 'limits', 'clock'],
  apps: ['apps'],
  settings: ['settings'],
  tracker: ['t', 'projects', 'cycles', 'inbox', 't-hooks'],
} as const;

/** Begins to load the code of the section that an address opens, while it is asked who is signed in. */
export function preloadSection(path: string): void {
  const [first, , view = ''] = path.slice(basePath().length + 1).split('/');
  const sections = Object.keys(VIEWS) as (keyof typeof VIEWS)[];
  const isOpened = (section: keyof typeof VIEWS): boolean => (VIEWS[section] as readonly string[]).includes(view);
  const section = first === 'w' ? sections.find(isOpened) : first === 'sandboxes' ? first : undefined;
  // the section itself shows what is wrong
  if (section) load[section]().catch(() => undefined);
}

/** The section of a path. */
export function Routes(): ReactNode {
  return (
    <Router base={basePath()}>
      <Gate />
      <Toasts />
    </Router>
  );
}

function Gate(): ReactNode {
  const state = useStore(sessionStore);
  const [location] = useLocation();
  if (state.kind === 'starting') return null;
  if (location === '/sign-in') return <SignInPage />;
  if (state.kind === 'out') {
    const back = location === '/' ? '' : `?to=${encodeURIComponent(location + window.location.search)}`;
    return <Redirect to={`/sign-in${back}`} replace />;
  }
  return (
    <OwnTeam>
      <Shell>
        <FaultBoundary key={sectionOf(location)}>
          <Suspense fallback={<Skeleton />}>
            <Switch>
              <Route path="/w/:team/search" component={SearchPage} />
              {VIEWS.inspect.map((view) => (
                <Route key={view} path={`/w/:team/${view}/:entry?`}>
                  <Inspect view={view} />
                </Route>
              ))}
              {VIEWS.tracker.map((view) => (
                <Route key={view} path={`/w/:team/${view}/:key?/:item?`}>
                  <Tracker view={view} />
                </Route>
              ))}
              <Route path="/w/:team/apps/:app?/:tab?">
                <Apps />
              </Route>
              <Route path="/w/:team/settings/:part?/:item?">
                <Settings />
              </Route>
              <Route path="/w/:team/c/:channel/t/:ts" component={ChatPage} />
              <Route path="/w/:team/c/:channel" component={ChatPage} />
              <Route path="/w/:team" component={ChatPage} />
              <Route path="/archives/:channel/:message" component={ArchivesPage} />
              <Route path="/sandboxes">
                <Sandboxes />
              </Route>
              <Route>
                <Redirect to={`/w/${state.session.team.id}`} replace />
              </Route>
            </Switch>
          </Suspense>
        </FaultBoundary>
        <Overlays />
      </Shell>
    </OwnTeam>
  );
}

/** An error in one section does not affect the next. All conversations are one section. */
const sectionOf = (location: string): string =>
  /^\/w\/[^/]+(\/c\/.*)?$/.test(location) ? 'chat' : (/^\/w\/[^/]+\/(\w+)/.exec(location)?.[1] ?? location);

/** Calls go to the workspace that the address names. */
function OwnTeam({ children }: { children: ReactNode }): ReactNode {
  const state = useStore(sessionStore);
  const [location, navigate] = useLocation();
  const wanted = /^\/w\/(T[0-9A-Z]+)/.exec(location)?.[1];
  const own = state.kind === 'in' ? state.session.team.id : '';
  const isOther = wanted !== undefined && wanted !== own;
  useEffect(() => {
    if (isOther) switchTeam(wanted).catch(() => navigate(`/w/${own}`, { replace: true }));
    else void resumeActing();
  }, [isOther, wanted, own, navigate]);
  return isOther ? null : children;
}
