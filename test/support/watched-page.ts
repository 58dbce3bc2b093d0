import type { Browser, Page } from "playwright-core";

/** A page whose console messages, errors and requests are kept. */
export interface WatchedPage {
  readonly page: Page;
  readonly complaints: readonly string[];
  /** Addresses that it asked for, without data in the address itself. */
  readonly requests: readonly string[];
}

/** Opens an address at a width in pixels, 900 high. */
export async function watchedPage(
  browser: Browser,
  url: string,
  { width, colorScheme }: { readonly width: number; readonly colorScheme: "light" | "dark" },
): Promise<WatchedPage> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith("data:")) requests.push(request.url());
  });
  await page.goto(url);
  return { page, complaints, requests };
}
