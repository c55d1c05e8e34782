/* The motion of a mechanism on a canvas: bodies by their poses over time, seen by a camera that can be turned. */
"use strict";
(function () {
  const source = document.getElementById("animation-data");
  const canvas = document.getElementById("animation");
  if (!source || !canvas) return;
  const scene = JSON.parse(source.textContent);
  const pen = canvas.getContext("2d");
  const slider = document.getElementById("animation-time");
  const clock = document.getElementById("animation-clock");
  const button = document.getElementById("animation-play");
  const pace = document.getElementById("animation-speed");
  const shown = document.getElementById("animation-rate");
  const names = document.getElementById("animation-names");
  const paths = document.getElementById("animation-paths");
  const poses = decoded(scene.poses);
  const times = decoded(scene.times);
  const bodies = scene.bodies.length + 1; /* the ground is the last one */
  const ground = bodies - 1;
  const last = times[times.length - 1];
  const INK = "#1f2328", GREY = "#8c959f", MARGIN = 40;
  const view = { axes: null, zoom: 1, x: 0, y: 0 };
  const coordinates = new Map(Object.entries(scene.coordinates)
    .map(([body, known]) => [Number(body), { count: known.count, values: decoded(known.values) }]));
  const bend = document.getElementById("animation-bend");
  let now = 0, playing = false, stamp = null, frames = [], deflections = new Map();

  function decoded(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return new Float32Array(bytes.buffer);
  }

  /* --- poses: origin and unit quaternion of a body, interpolated between frames ----------------- */

  function frameBefore(time) {
    let low = 0, high = times.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time) low = middle; else high = middle;
    }
    return low;
  }

  function poseAt(time, body) {
    const before = frameBefore(time), after = Math.min(before + 1, times.length - 1);
    const span = times[after] - times[before];
    const part = span > 0 ? Math.min(1, Math.max(0, (time - times[before]) / span)) : 0;
    const a = 7 * (before * bodies + body), b = 7 * (after * bodies + body);
    const mixed = [];
    for (let k = 0; k < 7; k += 1) mixed.push((1 - part) * poses[a + k] + part * poses[b + k]);
    return frameOf(mixed);
  }

  /* The coordinates of a body that deforms, times the factor of deflections. */
  function deflectionsAt(time, body) {
    const { count, values } = coordinates.get(body), factor = bend ? Number(bend.value) : 1;
    const before = frameBefore(time), after = Math.min(before + 1, times.length - 1);
    const span = times[after] - times[before];
    const part = span > 0 ? Math.min(1, Math.max(0, (time - times[before]) / span)) : 0;
    const mixed = [];
    for (let k = 0; k < count; k += 1) {
      mixed.push(factor * ((1 - part) * values[before * count + k] + part * values[after * count + k]));
    }
    return mixed;
  }

  function placeOf(station) {
    const q = deflections.get(station.body);
    return station.at.map((value, axis) => {
      const second = station.second ? station.second[axis].reduce((sum, row, i) => sum + q[i] * sumOf(row, q), 0) : 0;
      return value + sumOf(station.first[axis], q) + second / 2;
    });
  }

  function sumOf(factors, q) { return factors.reduce((sum, factor, k) => sum + factor * q[k], 0); }

  /* The strain of bending at a station as a part of the largest one; the factor of deflections does not count. */
  function strainOf(station) {
    const q = deflections.get(station.body), factor = bend ? Number(bend.value) : 1;
    const strain = station.strains.reduce((sum, row) => sum + Math.abs(sumOf(row, q)), 0);
    return scene.strain > 0 ? Math.min(1, strain / factor / scene.strain) : 0;
  }

  function frameOf(pose) {
    const length = Math.hypot(pose[3], pose[4], pose[5], pose[6]);
    const [w, x, y, z] = pose.slice(3).map((value) => value / length);
    return {
      origin: pose.slice(0, 3),
      rows: [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
      ],
    };
  }

  function dot(a, b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

  function world(frame, place) {
    return frame.rows.map((row, axis) => frame.origin[axis] + dot(row, place));
  }

  /* --- the camera --------------------------------------------------------------------------------- */

  function reset() {
    view.axes = scene.camera.map((row) => row.slice());
    view.zoom = 1;
    view.x = view.y = 0;
  }

  function size() { return { width: canvas.clientWidth, height: canvas.clientHeight }; }

  function seen(place) {
    const { width, height } = size();
    const scale = view.zoom * Math.min((width / 2 - MARGIN) / scene.reach[0], (height / 2 - MARGIN) / scene.reach[1]);
    const way = place.map((value, axis) => value - scene.center[axis]);
    return [
      width / 2 + view.x + scale * dot(view.axes[0], way),
      height / 2 + view.y - scale * dot(view.axes[1], way),
      dot(view.axes[2], way),
    ];
  }

  function seenOn(body, place) { return seen(world(frames[body], place)); }

  function seenAt(spot) {
    return seenOn(spot.body, spot.station === undefined ? spot.position : placeOf(scene.stations[spot.station]));
  }

  function cornersOf(outline) {
    return outline.stations
      ? outline.stations.map((station) => seenOn(outline.body, placeOf(scene.stations[station])))
      : outline.corners.map((corner) => seenOn(outline.body, corner));
  }

  /* A turn about the vertical of the first view, then a tilt about the horizontal of the screen. */
  function turn(right, down) {
    const vertical = scene.up;
    view.axes = view.axes.map((axis) => turned(axis, vertical, -0.008 * right));
    const horizontal = view.axes[0];
    view.axes = view.axes.map((axis) => turned(axis, horizontal, -0.008 * down));
  }

  function turned(vector, axis, angle) {
    const c = Math.cos(angle), s = Math.sin(angle), along = dot(axis, vector) * (1 - c);
    const cross = [
      axis[1] * vector[2] - axis[2] * vector[1],
      axis[2] * vector[0] - axis[0] * vector[2],
      axis[0] * vector[1] - axis[1] * vector[0],
    ];
    return vector.map((value, k) => c * value + s * cross[k] + along * axis[k]);
  }

  /* --- drawing ------------------------------------------------------------------------------------ */

  function colourOf(body) { return body === ground ? INK : scene.colours[body % scene.colours.length]; }

  function trace(points, closed) {
    pen.beginPath();
    points.forEach((point, k) => (k ? pen.lineTo(point[0], point[1]) : pen.moveTo(point[0], point[1])));
    if (closed) pen.closePath();
  }

  function stroke(colour, width, dashes) {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.setLineDash(dashes || []);
    pen.stroke();
    pen.setLineDash([]);
  }

  function drawOutline(outline, colour) {
    const corners = cornersOf(outline);
    if (outline.stations && scene.strain > 0) {
      drawStrained(outline, corners, colour);
      return;
    }
    trace(corners, outline.filled);
    if (outline.filled) {
      pen.globalAlpha = 0.2;
      pen.fillStyle = colour;
      pen.fill();
      pen.globalAlpha = 1;
    }
    stroke(colour, outline.filled ? 2 : outline.thick ? 6 : outline.stations ? 1.2 : 2.5);
  }

  /* A bent line, more yellow where it is strained more. */
  function drawStrained(outline, corners, colour) {
    const strains = outline.stations.map((station) => strainOf(scene.stations[station]));
    for (let k = 1; k < corners.length; k += 1) {
      trace([corners[k - 1], corners[k]]);
      stroke(mixed(colour, (strains[k - 1] + strains[k]) / 2), outline.thick ? 6 : 2.5);
    }
  }

  function mixed(colour, part) {
    const yellow = [250, 204, 21];
    const parts = yellow.map((value, k) => Math.round((1 - part) * parseInt(colour.slice(1 + 2 * k, 3 + 2 * k), 16) + part * value));
    return "rgb(" + parts.join(",") + ")";
  }

  function drawConnector(connector) {
    const tail = seenAt(connector.tail), head = seenAt(connector.head);
    if (connector.kind === "spring") {
      trace(coil(tail, head));
      stroke("#0f766e", 1.6);
    } else {
      trace([tail, head]);
      if (connector.kind === "driver") stroke(GREY, 2, [2, 4]); else stroke(GREY, 4);
    }
  }

  function coil(tail, head) {
    const dx = head[0] - tail[0], dy = head[1] - tail[1], length = Math.hypot(dx, dy) || 1, coils = 12;
    const along = (part, side) => [tail[0] + part * dx - side * 6 * dy / length, tail[1] + part * dy + side * 6 * dx / length];
    const points = [tail, along(0.15, 0)];
    for (let k = 0; k < coils; k += 1) points.push(along(0.15 + 0.7 * (k + 0.5) / coils, k % 2 ? 1 : -1));
    return points.concat([along(0.85, 0), head]);
  }

  function drawSupport(x, y) {
    trace([[x, y], [x - 9, y + 13], [x + 9, y + 13]], true);
    pen.fillStyle = "#eaeef2";
    pen.fill();
    stroke(INK, 1);
    pen.beginPath();
    for (const shift of [-7, -1, 5, 11]) { pen.moveTo(x + shift, y + 13); pen.lineTo(x + shift - 4, y + 18); }
    stroke(INK, 1);
  }

  function drawMarker(marker) {
    const body = marker.spot.body, [x, y] = seenAt(marker.spot);
    if (body === ground && marker.symbol !== "point") drawSupport(x, y);
    pen.beginPath();
    if (marker.symbol === "center") {
      pen.moveTo(x - 4, y); pen.lineTo(x + 4, y); pen.moveTo(x, y - 4); pen.lineTo(x, y + 4);
      stroke(colourOf(body), 1);
    } else if (marker.symbol === "weld") {
      pen.fillStyle = colourOf(body);
      pen.fillRect(x - 4, y - 4, 8, 8);
    } else {
      pen.arc(x, y, marker.symbol === "point" ? 2 : 4.5, 0, 2 * Math.PI);
      pen.fillStyle = marker.symbol === "pin" ? "#ffffff" : colourOf(body);
      pen.fill();
      if (marker.symbol !== "point") stroke(INK, 1.6);
    }
    if (names.checked && marker.name) write(marker.name, x + 8, y + 16, GREY, 11);
  }

  function write(text, x, y, colour, points) {
    pen.font = points + "px Helvetica, Arial, sans-serif";
    pen.strokeStyle = "#ffffff";
    pen.lineWidth = 4;
    pen.strokeText(text, x, y);
    pen.fillStyle = colour;
    pen.fillText(text, x, y);
  }

  function drawPaths() {
    const upTo = frameBefore(now);
    for (const marker of scene.markers.filter((each) => each.symbol === "center")) {
      const path = [];
      for (let k = 0; k <= upTo; k += 1) path.push(seen(world(poseAt(times[k], marker.spot.body), marker.spot.position)));
      path.push(seenOn(marker.spot.body, marker.spot.position));
      trace(path);
      stroke(colourOf(marker.spot.body), 1);
    }
  }

  function drawAxes() {
    const { height } = size(), x = 34, y = height - 34;
    ["x", "y", "z"].forEach((name, k) => {
      const dx = 22 * view.axes[0][k], dy = -22 * view.axes[1][k];
      if (Math.hypot(dx, dy) < 2) return;
      trace([[x, y], [x + dx, y + dy]]);
      stroke(GREY, 1.5);
      write(name, x + 1.35 * dx - 3, y + 1.35 * dy + 4, GREY, 12);
    });
  }

  function depth(outline) {
    const depths = cornersOf(outline).map((corner) => corner[2]);
    return depths.reduce((sum, value) => sum + value, 0) / depths.length;
  }

  function draw() {
    const { width, height } = size(), density = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * density) || canvas.height !== Math.round(height * density)) {
      canvas.width = Math.round(width * density);
      canvas.height = Math.round(height * density);
    }
    pen.setTransform(density, 0, 0, density, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.lineCap = pen.lineJoin = "round";
    frames = Array.from({ length: bodies }, (_, body) => poseAt(now, body));
    deflections = new Map([...coordinates.keys()].map((body) => [body, deflectionsAt(now, body)]));
    for (const line of scene.floor) { trace(line.corners.map((corner) => seenOn(line.body, corner))); stroke("#e4e8ec", 1); }
    if (paths.checked) drawPaths();
    scene.connectors.forEach(drawConnector);
    scene.rails.forEach((rail) => drawOutline(rail, GREY));
    scene.outlines.map((outline) => [depth(outline), outline]).sort((a, b) => a[0] - b[0])
      .forEach(([, outline]) => drawOutline(outline, colourOf(outline.body)));
    scene.markers.forEach(drawMarker);
    if (names.checked) {
      for (const label of scene.labels) {
        const [x, y] = seenAt(label.spot);
        write(label.name, x + 9, y - 9, colourOf(label.spot.body), 13);
      }
    }
    drawAxes();
    clock.textContent = now.toPrecision(4) + " s of " + last.toPrecision(4) + " s";
    shown.textContent = "1 s shows " + Number(rate().toPrecision(2)) + " s";
    slider.value = String(last > 0 ? now / last : 0);
  }

  /* --- time --------------------------------------------------------------------------------------- */

  /* Seconds of the motion in a second of the viewer: as it is, unless that is too short or too long to watch. */
  function rate() { return Number(pace.value) * last / Math.min(Math.max(last, 4), 20); }

  function play(wanted) {
    playing = wanted;
    stamp = null;
    button.textContent = playing ? "Pause" : "Play";
    if (playing) window.requestAnimationFrame(tick);
  }

  function tick(milliseconds) {
    if (!playing) return;
    if (stamp !== null) {
      now += rate() * (milliseconds - stamp) / 1000;
      if (now > last) now = last > 0 ? now % last : 0;
    }
    stamp = milliseconds;
    draw();
    window.requestAnimationFrame(tick);
  }

  /* --- what the viewer does ----------------------------------------------------------------------- */

  button.addEventListener("click", () => play(!playing));
  slider.addEventListener("input", () => { play(false); now = Number(slider.value) * last; draw(); });
  pace.addEventListener("change", draw);
  names.addEventListener("change", draw);
  paths.addEventListener("change", draw);
  if (bend) bend.addEventListener("change", draw);
  document.getElementById("animation-reset").addEventListener("click", () => { reset(); draw(); });
  canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
  canvas.addEventListener("pointermove", (event) => {
    if (!event.buttons) return;
    if (scene.planar || event.shiftKey || event.buttons !== 1) {
      view.x += event.movementX;
      view.y += event.movementY;
    } else {
      turn(event.movementX, event.movementY);
    }
    draw();
  });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    view.zoom = Math.min(50, Math.max(0.1, view.zoom * Math.exp(-0.0012 * event.deltaY)));
    draw();
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    if (event.key !== " ") return;
    event.preventDefault();
    play(!playing);
  });
  window.addEventListener("resize", draw);
  reset();
  draw();
})();
