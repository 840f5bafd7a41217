"""figures_style.py -- line charts for the figures: one style, small files. Without matplotlib nothing is drawn, but the CSV files are written."""
import os

try:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import matplotlib.ticker
except ImportError:
    plt = None

# distinguishable without colour, too: every series has its own dash or marker
COLORS = ("#1f5fa8", "#c8501e", "#2f8f4e", "#7a4fa0", "#a08a1c", "#444444", "#c2447c", "#1fa3a3", "#8a5a3c", "#7f7f7f")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), "-", "--", "-.", ":", (0, (3, 1)))
MARKERS = ("o", "s", "^", "v", "D", "x", "P", "*", "<", ">")


def lines(bench, name, panels, xlabels, ylabels, logx, logy=None, titles=None, marker=None, line=None, level=None, size=None, order=None, room=1,
          legend="best"):
    """panels: lists of (label, points); written as NAME.png into bench.out; order: all labels, so that panels share their looks;
    room: factor above the largest value, for the legend; legend: its place"""
    if plt is None:
        return
    figure, axes = plt.subplots(1, len(panels), figsize=size or (5.2 * len(panels), 3.8), squeeze=False)
    for k, (panel, axis) in enumerate(zip(panels, axes[0])):
        for i, (label, points) in enumerate(panel):
            i = order.index(label) if order else i
            axis.plot([p[0] for p in points], [p[1] for p in points], color=COLORS[i % len(COLORS)],
                      linestyle=DASHES[i % len(DASHES)] if line is None else line,
                      marker=MARKERS[i % len(MARKERS)] if marker or len(points) < 3 else None,
                      markersize=4, linewidth=1.4, label=label)
        axis.set_xscale("log" if logx[k] else "linear")
        axis.set_yscale("log" if logy is None or logy[k] else "linear")
        if room != 1:
            axis.set_ylim(top=room * max(p[1] for _, points in panel for p in points))
        if axis.get_yscale() == "log" and axis.get_ylim()[1] < 50 * axis.get_ylim()[0]:
            axis.yaxis.set_major_locator(matplotlib.ticker.LogLocator(base=10, subs=(1, 2, 5)))
            axis.yaxis.set_major_formatter(matplotlib.ticker.FormatStrFormatter("%g"))
            axis.yaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())
        if level is not None:
            axis.axhline(level, color="#999999", linewidth=0.8)
        axis.set_xlabel(xlabels[k])
        axis.set_ylabel(ylabels[k])
        if titles:
            axis.set_title(titles[k], fontsize=10)
        axis.grid(True, which="major", color="#dddddd", linewidth=0.6)
        if legend == "lower left":  # room for it beside the curves
            axis.set_xlim(left=axis.get_xlim()[0] / 4)
        axis.legend(fontsize=7.5, framealpha=0.85, loc=legend)
    save(bench, name, figure)


def bars(bench, name, series, labels, xlabel, ylabel):
    """series: [(label, values)] side by side over labels"""
    if plt is None:
        return
    figure, axis = plt.subplots(figsize=(6.4, 3.6))
    width = 0.8 / len(series)
    for i, (label, values) in enumerate(series):
        axis.bar([k + width * (i - (len(series) - 1) / 2) for k in range(len(labels))], values, width, color=COLORS[i % len(COLORS)], label=label)
    axis.set_xticks(range(len(labels)))
    axis.set_xticklabels(labels)
    axis.set_xlabel(xlabel)
    axis.set_ylabel(ylabel)
    axis.legend(fontsize=7.5, framealpha=0.85)
    save(bench, name, figure)


def save(bench, name, figure):
    figure.tight_layout()
    figure.savefig(os.path.join(bench.out, name + ".png"), dpi=100)
    plt.close(figure)


def images(bench, name, pictures):
    """pictures [(title, file)] side by side"""
    if plt is None:
        return
    figure, axes = plt.subplots(1, len(pictures), figsize=(3.6 * len(pictures), 2.5), squeeze=False)
    for (title, path), axis in zip(pictures, axes[0]):
        axis.imshow(plt.imread(path))
        axis.set_title(title, fontsize=9)
        axis.axis("off")
    save(bench, name, figure)
