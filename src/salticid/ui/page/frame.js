// Drawing when there is something to draw: at most once a frame, or more rarely.

/** A function that may be called at any rate and draws once in the next frame. */
export function onceAFrame(draw) {
  let asked = 0;
  return () => {
    asked ||= requestAnimationFrame(() => {
      asked = 0;
      draw();
    });
  };
}

/** The same, at most every `pause` milliseconds; the last call is always followed by a drawing. */
export function onceEvery(pause, draw) {
  const inAFrame = onceAFrame(draw);
  let waiting = 0;
  let last = -Infinity;
  return () => {
    if (waiting) return;
    waiting = setTimeout(() => {
      waiting = 0;
      last = performance.now();
      inAFrame();
    }, Math.max(0, last + pause - performance.now()));
  };
}
