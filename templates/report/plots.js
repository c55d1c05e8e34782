/* Draws the plots whose lines are in the page; all share the times of the run. */
"use strict";
(function () {
  const source = document.getElementById("plots-data");
  if (!source) return;
  const { times, plots } = JSON.parse(source.textContent);
  const x = decoded(times);

  function decoded(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return new Float32Array(bytes.buffer);
  }

  function trace(line) {
    const style = { width: line.width };
    if (line.colour) style.color = line.colour;
    return { type: "scatter", mode: "lines", x: x, y: decoded(line.values), name: line.name, line: style };
  }

  function layout(plot) {
    return {
      title: { text: plot.title, font: { size: 13 }, x: 0.02, xanchor: "left" },
      font: { family: "Helvetica, Arial, sans-serif", size: 11, color: "#1f2328" },
      height: plot.wide ? 320 : 220,
      margin: { l: 64, r: 12, t: 34, b: 36 },
      hovermode: "x",
      showlegend: plot.named,
      xaxis: { title: { text: "time [s]", standoff: 4 }, gridcolor: "#eaeef2", zeroline: false },
      yaxis: {
        type: plot.logarithmic ? "log" : "linear",
        exponentformat: "e",
        gridcolor: "#eaeef2",
        zerolinecolor: "#d0d7de",
      },
    };
  }

  plots.forEach((plot, number) => {
    const place = document.getElementById("plot-" + number);
    if (plot.wide) place.classList.add("wide");
    window.Plotly.newPlot(place, plot.lines.map(trace), layout(plot), { responsive: true, displaylogo: false });
  });
})();
