// A canvas that shows a part of something higher than itself: it stays where it is while a filler below it is scrolled.

class Canvas {
	constructor(canvas, paint) {
		this.element = canvas;
		this.scroller = canvas.parentElement;
		this.filler = canvas.nextElementSibling;
		this.context = canvas.getContext("2d", { alpha: false });
		this.paint = paint;
		this.width = this.height = 0;
		this.asked = false;
		this.scroller.addEventListener("scroll", () => this.repaint());
		new ResizeObserver(() => this.measure()).observe(this.scroller);
	}

	get top() {
		return this.scroller.scrollTop;
	}

	measure() {
		const width = this.scroller.clientWidth, height = this.scroller.clientHeight, scale = devicePixelRatio || 1;
		if (!width || !height) return;
		const changed = width !== this.width;
		this.width = width;
		this.height = height;
		this.element.width = Math.round(width * scale);
		this.element.height = Math.round(height * scale);
		this.element.style.height = height + "px";
		this.context.setTransform(scale, 0, 0, scale, 0, 0);
		if (changed && this.onwidth) this.onwidth();
		this.setContent(this.content || 0);
		this.draw();
	}

	// How high all of it is.
	setContent(height) {
		this.content = height;
		this.filler.style.height = Math.max(0, height - this.height) + "px";
	}

	// Scrolls as little as needed to show [top, bottom).
	reveal(top, bottom) {
		if (top < this.top) this.scroller.scrollTop = top;
		else if (bottom > this.top + this.height) this.scroller.scrollTop = bottom - this.height;
	}

	repaint() {
		if (this.asked) return;
		this.asked = true;
		requestAnimationFrame(() => this.draw());
	}

	draw() {
		this.asked = false;
		if (!this.width) return;
		this.context.fillStyle = styleColor("ground");
		this.context.fillRect(0, 0, this.width, this.height);
		this.paint(this.context);
	}
}

// Text that fits, or its beginning, or nothing. In a fixed-width font the width of one character tells that of all.
function fitText(context, text, x, y, width) {
	const most = Math.floor(width / context.measureText("0").width);
	if (most < 3) return;
	context.fillText(text.length <= most ? text : text.slice(0, most - 1) + "\u2026", x, y);
}

// What is under the pointer.
const tip = {
	show(event, title, lines) {
		const box = element("tip");
		box.replaceChildren(make("b", "", title), ...lines.map((line) => make("div", "", line)));
		box.hidden = false;
		box.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.offsetWidth - 6)) + "px";
		box.style.top = (event.clientY + 18 + box.offsetHeight > innerHeight ? event.clientY - box.offsetHeight - 10 : event.clientY + 18) + "px";
	},
	hide() {
		element("tip").hidden = true;
	},
};

function say(text) {
	element("status").textContent = text;
}

function showLegend(box, entries) {
	box.replaceChildren(...entries.map(([color, text]) => {
		const entry = make("span", "", text), mark = make("i");
		mark.style.background = color;
		entry.prepend(mark);
		return entry;
	}));
}
