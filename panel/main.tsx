import { render } from 'preact';
import { speak } from './app/languages.ts';
import { App } from './shell/app.tsx';

await speak();
render(<App />, document.getElementById('app') as HTMLElement);
